import { describe, expect, it } from "vitest";
import {
  bringsTests,
  FoundNeeds,
  SessionNeeds,
  type ToolNeed,
} from "../../../../extension/host/host-tools/tool-needs.ts";

describe("a need that is found in a window", () => {
  it("is reported once, when several are found shortly after one another", async () => {
    let told = 0;
    let tell = () => {};
    const isTold = new Promise<void>((resolve) => {
      tell = resolve;
    });
    const found = new FoundNeeds(() => {
      told += 1;
      tell();
    }, 20);
    found.set("git", true);
    found.set("notebook", true);
    expect(told).toBe(0);
    await isTold;
    expect(told).toBe(1);
    expect([found.has("git"), found.has("notebook"), found.has("tasks")]).toEqual([true, true, false]);
  });

  it("is not reported when it is already known, or gone", () => {
    let told = 0;
    const found = new FoundNeeds(() => {
      told += 1;
    }, 0);
    found.set("git", false);
    found.set("git", true);
    found.dispose();
    found.set("git", true);
    found.set("git", false);
    expect(found.has("git")).toBe(false);
    expect(told).toBe(0);
  });
});

describe("a need in a session", () => {
  it("is met until the session ends, and no longer", () => {
    const there = new Set<ToolNeed>(["git"]);
    const session = new SessionNeeds();
    const needs = (id: string) => [...session.of(id, (need) => there.has(need))];
    expect(needs("one")).toEqual(["git"]);
    there.add("notebook");
    expect(needs("one")).toEqual(["git", "notebook"]);
    there.delete("git");
    expect(needs("one")).toEqual(["git", "notebook"]);
    expect(needs("two")).toEqual(["notebook"]);
    expect(needs("one")).toEqual(["notebook"]);
  });
});

describe("an extension", () => {
  it("provides tests when its manifest says so, or when it is known to", () => {
    expect(bringsTests("golang.go", { categories: ["Debuggers", "Testing"] })).toBe(true);
    expect(bringsTests("MS-Python.python", { categories: ["Programming Languages"] })).toBe(true);
    expect(bringsTests("some.theme", { categories: ["Themes"] })).toBe(false);
    expect(bringsTests("some.thing", { categories: "Testing" })).toBe(false);
    expect(bringsTests("some.thing", null)).toBe(false);
  });
});
