import type {
  AgentMessage,
  AssistantMessage,
  StopReason,
  ToolResultMessage,
  UserMessage,
} from "../../agent/protocol/messages.ts";
import type { KnownSessionEntry } from "../../agent/protocol/session-entries.ts";

const NO_COST = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };

/** A message of the user. */
export function said(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }], timestamp: 1 };
}

/** An answer; `tokens` is what it reported as input, 0 for nothing. */
export function answer(text: string, tokens = 0, stopReason: StopReason = "stop"): AssistantMessage {
  return assistant([{ type: "text", text }], tokens, stopReason);
}

/** An answer that is one tool call. */
export function call(id: string, name: string, args: Record<string, unknown>): AssistantMessage {
  return assistant([{ type: "toolCall", id, name, arguments: args }], 0, "toolUse");
}

/** The result of a `read` call. */
export function result(toolCallId: string, text: string): ToolResultMessage {
  const content = [{ type: "text" as const, text }];
  return { role: "toolResult", toolCallId, toolName: "read", content, isError: false, timestamp: 1 };
}

interface CompactionSample {
  role: "compaction";
  firstKeptEntryId: string;
  summary: string;
  details: unknown;
}

/** A compaction entry among the messages. */
export function compaction(
  firstKeptEntryId: string,
  summary = "Before.",
  details: unknown = undefined,
): CompactionSample {
  return { role: "compaction", firstKeptEntryId, summary, details };
}

/** The parts of a path. */
export type PathSample = AgentMessage | CompactionSample;

/** A path of entries `e0`, `e1`, … */
export function pathOf(...samples: readonly PathSample[]): KnownSessionEntry[] {
  return samples.map((sample, index): KnownSessionEntry => {
    const base = {
      id: `e${index}`,
      parentId: index === 0 ? null : `e${index - 1}`,
      timestamp: "2026-01-02T03:04:05.000Z",
    };
    if (sample.role !== "compaction") return { ...base, type: "message", message: sample };
    const { firstKeptEntryId, summary, details } = sample;
    return { ...base, type: "compaction", summary, firstKeptEntryId, tokensBefore: 1, details };
  });
}

function assistant(content: AssistantMessage["content"], input: number, stopReason: StopReason): AssistantMessage {
  const usage = { input, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: input, cost: NO_COST };
  return { role: "assistant", content, api: "a", provider: "p", model: "m", usage, stopReason, timestamp: 1 };
}
