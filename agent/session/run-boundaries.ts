import type { BoundaryContext, BoundaryEntry } from "../extensions/api-boundary.ts";
import type { Boundary, BoundaryHooks } from "../extensions/boundary-hooks.ts";
import type { EndedTurn, TurnOutcome } from "../loop/loop-host.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import { toUserMessage } from "../providers/prepare-context.ts";
import { plainCopy } from "../util/plain-copy.ts";
import { projectedEntries } from "./context.ts";
import { isEditable } from "./context-edits.ts";
import type { Conversation } from "./conversation.ts";
import { type EntryBody, MADE_BY_EXTENSION } from "./entry-body.ts";
import type { MessageQueue } from "./queue.ts";
import type { SessionOptions } from "./session-options.ts";
import { contextTokens } from "./token-count.ts";

interface BoundaryParts {
  conversation(): Conversation;
  /** Adds a message to the conversation, with its event. */
  keep(message: AgentMessage): Promise<unknown>;
  queue: Pick<MessageQueue, "waiting">;
}

/** Applies what extensions propose at the end of each turn and of the run: entries for the conversation, and another request. */
export class RunBoundaries {
  readonly #hooks: BoundaryHooks;
  readonly #emit: SessionOptions["emit"];
  readonly #parts: BoundaryParts;

  constructor(hooks: BoundaryHooks, emit: SessionOptions["emit"], parts: BoundaryParts) {
    this.#hooks = hooks;
    this.#emit = emit;
    this.#parts = parts;
  }

  /** @returns true if another request must follow. */
  async endTurn({ message, toolResults, ...turn }: EndedTurn, signal: AbortSignal): Promise<boolean> {
    if (!this.#hooks.handles("turn_end")) return false;
    const conversation = this.#parts.conversation();
    const toolResultEntryIds = toolResults.flatMap((result) => conversation.entryOf(result)?.id ?? []);
    const messageEntryId = conversation.entryOf(message)?.id ?? "";
    const timestamp = Date.now();
    const ended = { ...turn, timestamp, message, toolResults, messageEntryId, toolResultEntryIds };
    return this.#ask({ type: "turn_end", ...ended }, signal);
  }

  /** @returns true if another request must follow. */
  async beforeSettle(outcome: TurnOutcome, signal: AbortSignal): Promise<boolean> {
    if (!this.#hooks.handles("agent_before_settle")) return false;
    return this.#ask({ type: "agent_before_settle", outcome }, signal);
  }

  async #ask(boundary: Boundary, signal: AbortSignal): Promise<boolean> {
    const { conversation, queue } = this.#parts;
    const preview = (entries: readonly BoundaryEntry[]) => previewOf(conversation(), entries, queue.waiting());
    const decision = await this.#hooks.ask(boundary, preview, signal);
    for (const entry of decision.entries) await this.#add(entry);
    if (!decision.continue || signal.aborted || boundary.outcome === "aborted") return false;
    if (preview([]).canContinue) return true;
    const error = `A handler of ${boundary.type} asked for another request, but the model has answered everything. Add a message to "entries".`;
    this.#hooks.report(boundary.type, error);
    return false;
  }

  async #add(entry: BoundaryEntry): Promise<void> {
    const conversation = this.#parts.conversation();
    switch (entry.type) {
      case "custom": {
        const added = conversation.appendCustom(entry.customType, entry.data);
        if (added !== undefined) await this.#emit({ type: "entry_appended", entry: added });
        return;
      }
      case "custom_message": {
        const { type: _type, ...said } = entry;
        const message = { role: "custom" as const, ...said, timestamp: Date.now() };
        await this.#emit({ type: "message_start", message });
        await this.#parts.keep(message);
        return;
      }
      case "context_edit":
        conversation.editContext(entry.targetId, entry.replacement);
        return;
      case "compaction":
        await this.#compact(conversation, entry);
    }
  }

  async #compact(conversation: Conversation, entry: Extract<BoundaryEntry, { type: "compaction" }>): Promise<void> {
    await this.#emit({ type: "compaction_start", reason: "manual" });
    const added = conversation.appendCompaction(compactionBody(conversation, entry));
    const ended = { type: "compaction_end", reason: "manual", willRetry: false } as const;
    if (added === undefined) {
      await this.#emit({ ...ended, result: null, aborted: false, errorMessage: "The summary couldn't be written." });
      return;
    }
    const { summary, firstKeptEntryId, tokensBefore, details, usage } = added;
    await this.#emit({ ...ended, result: { summary, firstKeptEntryId, tokensBefore, details, usage }, aborted: false });
  }
}

/** Returns undefined if there are no extensions. */
export function createRunBoundaries(options: SessionOptions, parts: BoundaryParts): RunBoundaries | undefined {
  const { boundaries, emit } = options;
  return boundaries === undefined ? undefined : new RunBoundaries(boundaries, emit, parts);
}

/** @throws Error that names an entry that can't be added. */
function previewOf(
  conversation: Conversation,
  entries: readonly BoundaryEntry[],
  pending: readonly AgentMessage[],
): BoundaryContext {
  for (const [index, entry] of entries.entries()) requireTarget(conversation, entry, index);
  const project = () => projectedEntries([...conversation.path(), ...asEntries(conversation, entries)]);
  const messages = () => project().flatMap((projected) => projected.messages);
  const forModel = () => messages().flatMap((message) => toModelMessage(message) ?? []);
  return {
    get contextEntries() {
      return plainCopy(project());
    },
    get contextMessages() {
      return plainCopy(messages());
    },
    get llmMessages() {
      return plainCopy(forModel());
    },
    get pendingMessages() {
      return plainCopy([...pending]);
    },
    get canContinue() {
      const last = forModel().at(-1);
      return (last !== undefined && last.role !== "assistant") || pending.length > 0;
    },
  };
}

function requireTarget(conversation: Conversation, entry: BoundaryEntry, index: number): void {
  const where = `Entry ${index + 1} of its result (${entry.type}) can't be added:`;
  if (entry.type === "context_edit") {
    const target = conversation.path().find(({ id }) => id === entry.targetId);
    if (target === undefined) throw new Error(`${where} "targetId" names no entry of this branch.`);
    if (!isEditable(target)) throw new Error(`${where} "targetId" names an entry that is not a message.`);
  }
  if (entry.type !== "compaction" || entry.firstKeptEntryId === null) return;
  const isKnown = conversation.path().some(({ id }) => id === entry.firstKeptEntryId);
  if (!isKnown) throw new Error(`${where} "firstKeptEntryId" names no entry of this branch.`);
}

/** Returns the entries as they would be in the conversation. */
function asEntries(conversation: Conversation, entries: readonly BoundaryEntry[]): KnownSessionEntry[] {
  return entries.map((entry, index) => {
    const body: EntryBody =
      entry.type === "compaction" ? { type: "compaction", ...compactionBody(conversation, entry) } : entry;
    return { ...body, id: `proposed-${index + 1}`, parentId: conversation.leafId, timestamp: new Date().toISOString() };
  });
}

function compactionBody(
  { messages, freshFrom }: Conversation,
  { summary, firstKeptEntryId, details, usage }: Extract<BoundaryEntry, { type: "compaction" }>,
) {
  return {
    summary,
    firstKeptEntryId: firstKeptEntryId ?? "", // names no entry: nothing from before is kept
    tokensBefore: Math.round(contextTokens(messages, freshFrom)),
    ...MADE_BY_EXTENSION,
    ...(details === undefined ? {} : { details }),
    ...(usage === undefined ? {} : { usage }),
  };
}

function toModelMessage(message: AgentMessage): AgentMessage | undefined {
  if (message.role === "assistant") return message.stopReason === "error" ? undefined : message;
  if (message.role === "toolResult") return message;
  return toUserMessage(message);
}
