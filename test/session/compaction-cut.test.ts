import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { KnownSessionEntry } from "../../agent/protocol/session-entries.ts";
import { planCompaction } from "../../agent/session/compaction/plan.ts";
import { buildContext } from "../../agent/session/context.ts";
import { answer, call, pathOf, result, said } from "./path-samples.ts";

const text = fc.string({ maxLength: 400 });

/** One answer with a call for each output, and their results. */
function batch(outputs: readonly string[]): AgentMessage[] {
  const calls = outputs.map((_, index) => call(`c${index}`, "read", { path: "x" }));
  const [first] = calls;
  if (first === undefined) return [];
  return [
    { ...first, content: calls.flatMap(({ content }) => content) },
    ...outputs.map((output, index) => result(`c${index}`, output)),
  ];
}

/** A turn: what was said, batches of calls with their results, an answer. Ids come again in later turns, as some servers make them. */
const turn = fc
  .tuple(text, fc.array(fc.array(text, { maxLength: 3 }), { maxLength: 3 }), text)
  .map(([question, batches, last]): AgentMessage[] => [said(question), ...batches.flatMap(batch), answer(last)]);
const path = fc.array(turn, { minLength: 1, maxLength: 8 }).map((turns) => pathOf(...turns.flat()));
const keepRecentTokens = fc.integer({ min: 1, max: 600 });

function compacted(entries: KnownSessionEntry[], firstKeptEntryId: string): KnownSessionEntry[] {
  const base = { id: "c", parentId: entries.at(-1)?.id ?? null, timestamp: "2026-01-02T03:04:05.000Z" };
  return [...entries, { ...base, type: "compaction", summary: "Notes", firstKeptEntryId, tokensBefore: 1 }];
}

describe("a compaction cut", () => {
  it("never separates a tool call from its result", () => {
    fc.assert(
      fc.property(path, keepRecentTokens, (entries, keep) => {
        const plan = planCompaction(entries, { keepRecentTokens: keep });
        if (plan === undefined) return;
        const { messages } = buildContext(compacted(entries, plan.firstKeptEntryId));
        const open = new Set<string>();
        for (const message of messages) {
          if (message.role === "toolResult") expect(open.delete(message.toolCallId)).toBe(true);
          if (message.role !== "assistant") continue;
          for (const block of message.content) if (block.type === "toolCall") open.add(block.id);
        }
        expect([...open]).toEqual([]);
      }),
    );
  });

  it("leaves a context that starts with the summary and loses no message", () => {
    fc.assert(
      fc.property(path, keepRecentTokens, (entries, keep) => {
        const plan = planCompaction(entries, { keepRecentTokens: keep });
        if (plan === undefined) return;
        const { messages, freshFrom } = buildContext(compacted(entries, plan.firstKeptEntryId));
        expect(messages[0]).toMatchObject({ role: "compactionSummary", summary: "Notes" });
        expect(freshFrom).toBe(messages.length);
        expect([...plan.history, ...plan.turnBeginning, ...messages.slice(1)]).toEqual(buildContext(entries).messages);
      }),
    );
  });

  it("summarizes nothing twice in a row", () => {
    fc.assert(
      fc.property(path, keepRecentTokens, (entries, keep) => {
        const plan = planCompaction(entries, { keepRecentTokens: keep });
        if (plan === undefined) return;
        expect(planCompaction(compacted(entries, plan.firstKeptEntryId), { keepRecentTokens: keep })).toBeUndefined();
      }),
    );
  });
});
