import { describe, expect, test } from "vitest";
import { changeQueue } from "../../../extension/chat/queue-change.ts";
import type { QueueEdit } from "../../../webview/protocol/ui.ts";

const waiting = (steering: string[], followUp: string[]) => ({
  steering: steering.map((label) => ({ label, images: [] })),
  followUp: followUp.map((label) => ({ label, images: [] })),
});

/** Returns the resulting queues, as texts. */
function result(steering: string[], followUp: string[], edit: QueueEdit): string[][] | undefined {
  const changed = changeQueue(waiting(steering, followUp), edit);
  return changed && [changed.steering, changed.followUp].map((queue) => queue.map(({ label }) => label));
}

describe("changeQueue", () => {
  test("removes, edits, moves and switches one message", () => {
    const at = { queue: "steering", index: 1, label: "b" } as const;
    expect(result(["a", "b"], ["c"], { op: "remove", ...at })).toEqual([["a"], ["c"]]);
    expect(result(["a", "b"], ["c"], { op: "replace", ...at, text: "B" })).toEqual([["a", "B"], ["c"]]);
    expect(result(["a", "b"], ["c"], { op: "move", ...at, by: -1 })).toEqual([["b", "a"], ["c"]]);
    expect(result(["a", "b"], ["c"], { op: "move", ...at, by: 1 })).toEqual([["a", "b"], ["c"]]);
    expect(result(["a", "b"], ["c"], { op: "switch", ...at })).toEqual([["a"], ["c", "b"]]);
  });

  test("finds a message that has moved forward, and the right one of two equal ones", () => {
    expect(result(["b", "c"], [], { op: "remove", queue: "steering", index: 2, label: "c" })).toEqual([["b"], []]);
    expect(result([], ["x", "y", "x"], { op: "replace", queue: "followUp", index: 2, label: "x", text: "z" })).toEqual([
      [],
      ["x", "y", "z"],
    ]);
  });

  test("identifies a message with attachments by its words, and keeps them when the words change", () => {
    const attached = '\n\n<attached key="0123456789abcdef">\nnote\n</attached 0123456789abcdef>';
    const edit = { op: "replace", queue: "steering", index: 0, label: "a", text: "A" } as const;
    expect(result([`a${attached}`], [], edit)).toEqual([[`A${attached}`], []]);
  });

  test("returns nothing for a message that no longer waits", () => {
    expect(result(["b"], [], { op: "remove", queue: "steering", index: 0, label: "a" })).toBe(undefined);
    expect(result(["a"], [], { op: "remove", queue: "followUp", index: 0, label: "a" })).toBe(undefined);
  });
});
