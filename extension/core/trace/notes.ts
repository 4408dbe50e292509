import * as z from "zod";
import { BashResult } from "../../../agent/protocol/commands.ts";
import { AgentMessage } from "../../../agent/protocol/messages.ts";
import { PanelUi } from "../../../webview/protocol/ui.ts";
import type { HostAction } from "../transcript/transcript-state.ts";

/** An entry of the trace that is not a frame: everything else that made the conversation. */
export type TraceNote =
  | HostAction
  /** The state of the agent's process; after `starting` its frames are held until `host_read`. */
  | { type: "host_process"; state: string }
  /** The session was read: the held frames follow at this moment. */
  | { type: "host_read" }
  /** Another conversation is shown: `messages`, or those of the last answer to `get_messages`. */
  | { type: "host_reset"; messages?: AgentMessage[] | undefined };

const text = z.string();
const action = z.object({ label: text, command: text });

/** The schema of each note. A new host action must be added here too, or it could not be replayed. */
const schemas: { readonly [T in TraceNote["type"]]: z.ZodType<Extract<TraceNote, { type: T }>> } = {
  host_process: z.object({ type: z.literal("host_process"), state: text }),
  host_read: z.object({ type: z.literal("host_read") }),
  host_reset: z.object({ type: z.literal("host_reset"), messages: z.array(AgentMessage).optional() }),
  host_status: z.object({ type: z.literal("host_status"), status: PanelUi.shape.status }),
  host_ui: z.object({ type: z.literal("host_ui"), ui: PanelUi.omit({ status: true }).partial() }),
  host_dialog_settled: z.object({
    type: z.literal("host_dialog_settled"),
    requestId: text,
    state: z.enum(["answered", "cancelled", "timedOut"]),
    answer: text.optional(),
  }),
  host_proposal_edited: z.object({
    type: z.literal("host_proposal_edited"),
    requestId: text,
    isEdited: z.boolean(),
  }),
  host_notice: z.object({
    type: z.literal("host_notice"),
    level: z.enum(["info", "warning", "error"]),
    text,
    detail: text.optional(),
    action: action.optional(),
  }),
  host_queue_gone: z.object({ type: z.literal("host_queue_gone") }),
  host_shell_start: z.object({ type: z.literal("host_shell_start"), command: text, isExcluded: z.boolean() }),
  host_shell_end: z.object({ type: z.literal("host_shell_end"), result: BashResult.optional() }),
  host_crashed: z.object({
    type: z.literal("host_crashed"),
    text,
    reason: text.optional(),
    detail: text.optional(),
  }),
  host_restarted: z.object({ type: z.literal("host_restarted") }),
};
const schema = z.union(Object.values(schemas));

/** Writes a note as JSON. A field of the UI state that is removed is kept as null, in its place. */
export function writeNote(note: TraceNote): string {
  if (note.type !== "host_ui") return JSON.stringify(note);
  const ui = Object.entries(note.ui).map(([key, value]) => [key, value === undefined ? null : value]);
  return JSON.stringify({ type: note.type, ui: Object.fromEntries(ui) });
}

/** Reads the result of `writeNote`; undefined for anything else. Fields keep their order. */
export function readNote(value: unknown): TraceNote | undefined {
  const note = withoutNulls(value);
  return isNote(note) ? note : undefined;
}

function isNote(value: unknown): value is TraceNote {
  return schema.safeParse(value).success;
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("ui" in value)) return value;
  const { ui } = value;
  if (typeof ui !== "object" || ui === null) return value;
  const entries = Object.entries(ui).map(([key, field]) => [key, field === null ? undefined : field]);
  return { ...value, ui: Object.fromEntries(entries) };
}
