import { describe, expect, test } from "vitest";
import { PromptHistory } from "../../../../extension/features/composer/prompt-history.ts";
import { memoryStore } from "../../../support/memory-store.ts";

describe("PromptHistory", () => {
  test("returns each text once, the latest first, even after a reload of the window", () => {
    const store = memoryStore();
    const history = new PromptHistory(store);
    for (const text of ["one", "two", "one", "  ", "three"]) history.add(text);
    expect(history.entries.map(({ text }) => text)).toEqual(["three", "one", "two"]);
    expect(new PromptHistory(store).entries).toEqual(history.entries);
  });

  test("keeps the last hundred, and no very long one", () => {
    const history = new PromptHistory(memoryStore());
    for (let at = 1; at <= 101; at += 1) history.add(`message ${at}`);
    history.add("x".repeat(10_001));
    expect(history.entries).toHaveLength(100);
    expect(history.entries[0]?.text).toBe("message 101");
    expect(history.entries.at(-1)?.text).toBe("message 2");
  });

  test("keeps the chips in the text, without their content", () => {
    const history = new PromptHistory(memoryStore());
    const chip = { kind: "context", id: "1", label: "1 problem", detail: "1 line, 9 B", note: "" } as const;
    const problems = { ...chip, mark: "@problems", source: { kind: "problems" } } as const;
    const fixed = { meta: { kind: "problems", count: 1 }, content: "a.ts:1:1" } as const;
    history.add("Fix @problems", [
      { ...problems, fixed },
      { ...chip, id: "2", mark: "", source: { kind: "selection" } },
    ]);
    expect(history.entries).toEqual([{ text: "Fix @problems", contexts: [problems] }]);
  });

  test("keeps pasted text where it was pasted", () => {
    const history = new PromptHistory(memoryStore());
    const mark = "[Pasted text 1: 2 lines]";
    const fixed = { meta: { kind: "pasted", name: "Pasted text 1" }, content: "one\ntwo" } as const;
    const pasted = { kind: "context", id: "1", label: "Pasted text 1", detail: "", note: "" } as const;
    history.add(`See ${mark}!`, [{ ...pasted, mark, source: { kind: "sent" }, fixed }]);
    expect(history.entries).toEqual([{ text: "See one\ntwo!", contexts: [] }]);
  });

  test("starts empty when the stored value is invalid", () => {
    expect(new PromptHistory(memoryStore({ "tiller.promptHistory": [1, 2] })).entries).toEqual([]);
  });
});
