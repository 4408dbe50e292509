import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { KnownSessionEntry } from "../../agent/protocol/session-entries.ts";
import { pageParts } from "../../agent/session/export/page.ts";
import type { LoadedEntry } from "../../agent/session/load.ts";
import { createRedactor } from "../../agent/util/redact.ts";

/** A red square. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

const HEADER = { id: "s-1", timestamp: "2026-01-02T03:04:05.000Z", cwd: "/work/<b>here</b>" };

type Body = KnownSessionEntry extends infer Entry
  ? Entry extends KnownSessionEntry
    ? Omit<Entry, "id" | "parentId" | "timestamp">
    : never
  : never;

/** Entries in a line, each hanging on the one before it; a number first hangs an entry on that earlier one. */
export function entriesOf(...bodies: (Body | [number, Body])[]): LoadedEntry[] {
  return bodies.map((item, index) => {
    const [parent, body] = Array.isArray(item) ? item : [index - 1, item];
    const minute = String(index % 60).padStart(2, "0");
    const entry = {
      ...body,
      id: `e${index}`,
      parentId: parent < 0 ? null : `e${parent}`,
      timestamp: `2026-01-02T03:${minute}:05.000Z`,
    };
    return { entry, known: entry };
  });
}

export function said(message: AgentMessage): Body {
  return { type: "message", message };
}

export function user(text: string): Body {
  return said({ role: "user", content: [{ type: "text", text }], timestamp: 1_767_323_045_000 });
}

/** A model's answer with known usage: 10 tokens in, 5 out, 2 cents. */
export function assistant(...content: AssistantMessage["content"]): Body {
  return said({
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "claude-x",
    usage: {
      input: 10,
      output: 5,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: 15,
      cost: { input: 0.01, output: 0.01, cacheRead: 0, cacheWrite: 0, total: 0.02 },
    },
    stopReason: "stop",
    timestamp: 1_767_323_045_000,
  });
}

export function answer(text: string): Body {
  return assistant({ type: "text", text });
}

export function toolResult(toolCallId: string, text: string, details?: unknown): Body {
  return said({
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text }],
    details,
    isError: false,
    timestamp: 1_767_323_045_000,
  });
}

/** The whole page of a session whose newest entry is the last. */
export function pageOf(entries: LoadedEntry[], secrets: string[] = []): string {
  const leafId = entries.at(-1)?.entry.id ?? null;
  return [...pageParts({ header: HEADER, entries, leafId, redact: createRedactor(secrets).redact })].join("");
}
