import * as z from "zod";
import { InputContent } from "../protocol/content.ts";
import { describeIssues } from "../protocol/errors.ts";
import { AgentMessage } from "../protocol/messages.ts";
import { oneLine } from "../util/one-line.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type { SessionDraft } from "./api-session.ts";
import type { ConversationDraft, DraftEntry } from "./session-host.ts";
import { createSessionView } from "./session-view.ts";

const Draft: z.ZodType<DraftEntry> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), message: AgentMessage }),
  z.object({
    type: z.literal("model_change"),
    provider: z.string(),
    modelId: z.string(),
    model: z.string(),
    role: z.string(),
  }),
  z.object({ type: z.literal("thinking_level_change"), thinkingLevel: z.string() }),
  z.object({
    type: z.literal("compaction"),
    summary: z.string(),
    firstKeptEntryId: z.string(),
    tokensBefore: z.int(),
    details: z.unknown().optional(),
    fromHook: z.boolean().optional(),
    fromExtension: z.boolean().optional(),
  }),
  z.object({ type: z.literal("custom"), customType: z.string().min(1), data: z.unknown().optional() }),
  z.object({
    type: z.literal("custom_message"),
    customType: z.string().min(1),
    content: z.union([z.string(), z.array(InputContent)]),
    display: z.boolean(),
    details: z.unknown().optional(),
  }),
  z.object({ type: z.literal("session_info"), name: z.string() }),
  z.object({ type: z.literal("label"), targetId: z.string(), label: z.string().optional() }),
]);

/**
 * Opens a conversation that is not active yet for an extension to fill. Entries are checked and copied.
 * @returns what the extension gets, and what ends its use: later calls throw.
 */
export function openSessionDraft(draft: ConversationDraft, cwd: string): { session: SessionDraft; close(): void } {
  let isOpen = true;
  const requireOpen = () => {
    if (!isOpen) throw new Error("This session is live: it can be filled only while setup() runs.");
  };
  const add = (entry: DraftEntry): string => {
    requireOpen();
    const read = Draft.safeParse(entry);
    if (!read.success) throw new Error(["The entry cannot be added:", ...describeIssues(read.error)].join("\n"));
    return draft.add(plainCopy(read.data));
  };
  const moveTo = (leafId: string | null) => {
    requireOpen();
    draft.moveTo(leafId);
  };
  const session: SessionDraft = {
    ...createSessionView(() => draft.view, cwd),
    appendMessage: (message) => add({ type: "message", message }),
    appendModelChange: (provider, modelId) =>
      add({ type: "model_change", provider, modelId, model: `${provider}/${modelId}`, role: "default" }),
    appendThinkingLevelChange: (thinkingLevel) => add({ type: "thinking_level_change", thinkingLevel }),
    appendCompaction: (summary, firstKeptEntryId, tokensBefore, details, fromHook) =>
      add({
        type: "compaction",
        summary,
        firstKeptEntryId: firstKeptEntryId ?? "", // names no entry: nothing from before is kept
        tokensBefore,
        ...(details === undefined ? {} : { details }),
        ...(fromHook === undefined ? {} : { fromHook, fromExtension: fromHook }),
      }),
    appendCustomEntry: (customType, data) =>
      add({ type: "custom", customType, ...(data === undefined ? {} : { data }) }),
    appendCustomMessageEntry: (customType, content, display, details) =>
      add({ type: "custom_message", customType, content, display, ...(details === undefined ? {} : { details }) }),
    appendSessionInfo: (name) => add({ type: "session_info", name: oneLine(name) }),
    appendLabelChange: (targetId, label) => add({ type: "label", targetId, ...(label ? { label } : {}) }),
    branch: (fromId) => moveTo(fromId),
    resetLeaf: () => moveTo(null),
  };
  return {
    session,
    close() {
      isOpen = false;
    },
  };
}
