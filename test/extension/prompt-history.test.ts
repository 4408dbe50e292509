import { describe, expect, test } from "vitest";
import { PromptHistory } from "../../extension/composer/prompt-history.ts";
import { memoryStore } from "../support/memory-store.ts";

describe("PromptHistory", () => {
  test("gives each text once, the latest first, also after a reload of the window", () => {
    const store = memoryStore();
    const history = new PromptHistory(store);
    for (const text of ["one", "two", "one", "  ", "three"]) history.add(text);
    expect(history.entries).toEqual(["three", "one", "two"]);
    expect(new PromptHistory(store).entries).toEqual(["three", "one", "two"]);
  });

  test("keeps the last hundred, and none that is very long", () => {
    const history = new PromptHistory(memoryStore());
    for (let at = 1; at <= 101; at += 1) history.add(`message ${at}`);
    history.add("x".repeat(10_001));
    expect(history.entries).toHaveLength(100);
    expect(history.entries[0]).toBe("message 101");
    expect(history.entries.at(-1)).toBe("message 2");
  });

  test("begins anew when what was stored is not a list of texts", () => {
    expect(new PromptHistory(memoryStore({ "tiller.promptHistory": [1, 2] })).entries).toEqual([]);
  });
});
