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

describe("session branches", () => {
  test("are the ends of the tree, the newest first, each with its own part", () => {
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

  test("end at messages, and the conversation is at the last message", () => {
    const entries = [...TWO_BRANCHES, ...["g < d: custom", "h < g: thinking_level_change"].map(entry)];
    expect(branchesOf(entries, "h").map(({ entryId, isHere }) => [entryId, isHere])).toEqual([
      ["f", false],
      ["d", true],
    ]);
  });

  test("have an extra line for a position in the middle, and for named places", () => {
    const entries = [...TWO_BRANCHES, entry("l < f: label d"), entry("k < l: label a")];
    expect(branchesOf(entries, "b").map(({ entryId, label, isHere }) => [entryId, label, isHere])).toEqual([
      ["f", undefined, false],
      ["d", "a good place", false],
      ["b", undefined, true],
      ["a", "a good place", false],
    ]);
  });

  test("are empty in a session without messages", () => {
    expect(branchesOf([entry("m < none: model_change")], "m")).toEqual([]);
  });

  test("end, even when a broken file has circular parents", () => {
    const loop = [entry("a < b: user one"), entry("b < a: assistant"), entry("c < gone: user two")];
    expect(branchesOf(loop, "c").map(({ entryId }) => entryId)).toEqual(["c"]);
  });
});

describe("prompts on a path", () => {
  test("are those of one branch only", () => {
    expect(promptsOnPath(TWO_BRANCHES, "d")).toEqual([
      { entryId: "a", parentId: "m", text: "one" },
      { entryId: "c", parentId: "b", text: "two" },
    ]);
  });
});

describe("tool calls of a path after an entry", () => {
  const path = ["a < none: user one", "b < a: assistant first", "c < b: user two", "d < c: assistant second"].map(
    entry,
  );

  test("are those of the messages after it", () => {
    const ids = (from: string) => callsFrom(pathOf(path, "d"), from).map(({ id }) => id);
    expect(ids("a")).toEqual(["first", "second"]);
    expect(ids("c")).toEqual(["second"]);
  });

  test("have the times of call and result", () => {
    const answered = [...path, entry("e < d: toolResult second")];
    expect(callsFrom(pathOf(answered, "e"), "a")).toEqual([
      { id: "first", from: 1, to: Number.POSITIVE_INFINITY },
      { id: "second", from: 1, to: 2 },
    ]);
  });

  test("are empty for an entry that is not on it", () => {
    expect(callsFrom(pathOf(path, "b"), "c")).toEqual([]);
  });
});
