import { describe, expect, it } from "vitest";
import { PRUNING_ENTRY_TYPE } from "../../agent/protocol/session-entries.ts";
import { planPruning } from "../../agent/session/compaction/pruning.ts";
import { buildContext } from "../../agent/session/context.ts";
import { withNotes } from "../../agent/session/pruned-results.ts";
import { answer, call, pathOf, result, said } from "./path-samples.ts";

const NEED = { tokens: 10_000, room: 10_000, keepRecentTokens: 3, canRecall: true };

/** Turns that read one file each; the results have these sizes in tokens. */
function reading(...tokens: readonly number[]) {
  const turns = tokens.flatMap((size, index) => [
    call(`c${index}`, "read", { path: `f${index}.ts` }),
    result(`c${index}`, "x".repeat(size * 4)),
  ]);
  return pathOf(said("Read them all"), ...turns, answer("a"), answer("b"), answer("c"));
}

describe("pruning old tool results", () => {
  it("takes the largest first, until two fifths of the room are free", () => {
    const results = planPruning(reading(300, 3000, 2500, 1000), NEED);
    expect(results).toEqual([
      {
        entryId: "e4",
        note: '[The result of read (12000 characters) was left out to save space. To see it, read f1.ts again or call recall with entry "e4".]',
      },
      { entryId: "e6", note: expect.stringContaining("read f2.ts again") },
    ]);
  });

  it("is not enough when more than four fifths of the room would stay filled", () => {
    expect(planPruning(reading(900, 900), NEED)).toBeUndefined();
    expect(planPruning(reading(1000, 1000), NEED)).toHaveLength(2);
  });

  it("leaves small results, the newest three turns and the newest tokens", () => {
    expect(planPruning(reading(200, 200), { ...NEED, tokens: 7000 })).toBeUndefined();
    const path = reading(5000);
    expect(planPruning(path.slice(0, -1), NEED)).toBeUndefined();
    expect(planPruning(path, { ...NEED, keepRecentTokens: 4 })).toBeUndefined();
    expect(planPruning(path, NEED)).toHaveLength(1);
  });

  it("does not name a tool that the model does not have", () => {
    const [pruned] = planPruning(reading(5000), { ...NEED, canRecall: false }) ?? [];
    expect(pruned?.note).toMatch(/To see it, read f0\.ts again\.\]$/);
  });

  it("names the file of a call that a model wrote in another form", () => {
    const path = pathOf(
      said("Read it"),
      call("c", "Read", { file_path: "f.ts" }),
      result("c", "x".repeat(20_000)),
      answer("a"),
      answer("b"),
      answer("c"),
    );
    const [pruned] = planPruning(path, { ...NEED, canRecall: false }) ?? [];
    expect(pruned?.note).toMatch(/To see it, read f\.ts again\.\]$/);
  });

  it("sends the note of the session's file from then on, and measures anew", () => {
    const path = reading(3000);
    const entry = {
      type: "custom" as const,
      customType: PRUNING_ENTRY_TYPE,
      data: { results: [{ entryId: "e2", note: "left out" }] },
      id: "p",
      parentId: "e5",
      timestamp: "2026-01-02T03:04:05.000Z",
    };
    const { messages, freshFrom, pruned } = buildContext([...path, entry]);
    expect(messages).toEqual(buildContext(path).messages);
    expect(freshFrom).toBe(6);
    expect(withNotes(messages, pruned)[2]).toMatchObject({
      toolCallId: "c0",
      content: [{ type: "text", text: "left out" }],
    });
    expect(planPruning([...path, entry], NEED)).toBeUndefined();
    expect(buildContext([...path, { ...entry, data: "junk" }]).pruned.size).toBe(0);
  });
});
