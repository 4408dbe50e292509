import { describe, expect, test } from "vitest";
import type { SessionEntry } from "../../../../agent/protocol/session-entries.ts";
import { callsFrom, pathOf, promptsOnPath } from "../../../../extension/chat/session-entries.ts";
import { branchesOf } from "../../../../extension/features/sessions/branches.ts";

const TIME = "2026-11-21T10:00:00.000Z";

/** An entry `id < parent: role text`, for the assistant with the id of a call, or of another type with `id < parent: type`. */
function entry(line: string): SessionEntry {
  const [, id = "", parent = "", role = "", text = ""] = /^(\w+) < (\w+): (\w+) ?(.*)$/.exec(line) ?? [];
  const base = { id, parentId: parent === "none" ? null : parent, timestamp: TIME };
  if (role === "user") return { type: "message", ...base, message: { role, content: text, timestamp: 1 } };
  const result = { toolCallId: text, toolName: "edit", content: [], isError: false, timestamp: 2 };
  if (role === "toolResult") return { type: "message", ...base, message: { role, ...result } };
  if (role === "label") return { type: "label", ...base, targetId: text, label: "a good place" };
  if (role !== "assistant") return { type: role, ...base, customType: "x" };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 };
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const content = text === "" ? [] : [{ type: "toolCall" as const, id: text, name: "edit", arguments: {} }];
  const message = { role, content, api: "a", provider: "p", model: "m", stopReason: "stop", timestamp: 1 } as const;
  return { type: "message", ...base, message: { ...message, usage: { ...usage, cost } } };
}

const TWO_BRANCHES = [
  "m < none: model_change",
  "a < m: user one",
  "b < a: assistant",
  "c < b: user two",
  "d < c: assistant",
  "e < b: user two, but different",
  "f < e: assistant",
].map(entry);

describe("the branches of a session", () => {
  test("are its ends, the newest first, each with what only it has", () => {
    expect(branchesOf(TWO_BRANCHES, "f")).toEqual([
      {
        entryId: "f",
        label: undefined,
        lastPrompt: "two, but different",
        ownPrompt: "two, but different",
        messageCount: 4,
        at: Date.parse(TIME),
        isHere: true,
      },
      {
        entryId: "d",
        label: undefined,
        lastPrompt: "two",
        ownPrompt: "",
        messageCount: 4,
        at: Date.parse(TIME),
        isHere: false,
      },
    ]);
  });

  test("do not end in what says nothing, and the conversation is where the last thing was said", () => {
    const entries = [...TWO_BRANCHES, ...["g < d: custom", "h < g: thinking_level_change"].map(entry)];
    expect(branchesOf(entries, "h").map(({ entryId, isHere }) => [entryId, isHere])).toEqual([
      ["f", false],
      ["d", true],
    ]);
  });

  test("have a line more for the place in the middle where the conversation is, and for places with names", () => {
    const entries = [...TWO_BRANCHES, entry("l < f: label d"), entry("k < l: label a")];
    expect(branchesOf(entries, "b").map(({ entryId, label, isHere }) => [entryId, label, isHere])).toEqual([
      ["f", undefined, false],
      ["d", "a good place", false],
      ["b", undefined, true],
      ["a", "a good place", false],
    ]);
  });

  test("are none in a session in which nothing was said", () => {
    expect(branchesOf([entry("m < none: model_change")], "m")).toEqual([]);
  });

  test("end, whatever a broken file says about what hangs on what", () => {
    const loop = [entry("a < b: user one"), entry("b < a: assistant"), entry("c < gone: user two")];
    expect(branchesOf(loop, "c").map(({ entryId }) => entryId)).toEqual(["c"]);
  });
});

describe("the prompts on a path", () => {
  test("are those of one branch only", () => {
    expect(promptsOnPath(TWO_BRANCHES, "d")).toEqual([
      { entryId: "a", parentId: "m", text: "one" },
      { entryId: "c", parentId: "b", text: "two" },
    ]);
  });
});

describe("the calls of a path from an entry on", () => {
  const path = ["a < none: user one", "b < a: assistant first", "c < b: user two", "d < c: assistant second"].map(
    entry,
  );

  test("are those of the messages behind it", () => {
    const ids = (from: string) => callsFrom(pathOf(path, "d"), from).map(({ id }) => id);
    expect(ids("a")).toEqual(["first", "second"]);
    expect(ids("c")).toEqual(["second"]);
  });

  test("are told with when they were made and answered", () => {
    const answered = [...path, entry("e < d: toolResult second")];
    expect(callsFrom(pathOf(answered, "e"), "a")).toEqual([
      { id: "first", from: 1, to: Number.POSITIVE_INFINITY },
      { id: "second", from: 1, to: 2 },
    ]);
  });

  test("are none for an entry that is not on it", () => {
    expect(callsFrom(pathOf(path, "b"), "c")).toEqual([]);
  });
});
