import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  catchUp,
  type FileReview,
  type FileText,
  hunkKey,
  hunksOf,
  keepHunk,
  noteChange,
  takeBack,
  undoHunk,
  withMarkOf,
  withoutMark,
} from "../../agent/changes/file-review.ts";
import { type Hunk, splitLines } from "../../agent/changes/line-diff.ts";
import { mergeLines } from "../../agent/changes/merge-lines.ts";

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join("");
const FILE = text("a", "b", "c", "d", "e", "f", "g");

function reviewed(before: FileText, after: FileText): FileReview {
  const review = noteChange(undefined, before, after);
  if (review === undefined) throw new Error("nothing to review");
  return review;
}

function first(hunks: readonly Hunk[]): Hunk {
  const [hunk] = hunks;
  if (hunk === undefined) throw new Error("no hunk");
  return hunk;
}

describe("the lines of a text", () => {
  it.each(["", "a", "a\n", "\n\n", "a\r\nb\r\n", "a\nb"])("add up to the text again: %j", (whole) => {
    expect(splitLines(whole).join("")).toBe(whole);
  });
});

describe("a line merge", () => {
  const merge = (base: string, ours: string, theirs: string) => {
    const { lines, conflicts } = mergeLines([...base], [...ours], [...theirs]);
    return [lines.join(""), conflicts];
  };

  it.each([
    ["abc", "abc", "abc", "abc", 0],
    ["abc", "xabc", "abcy", "xabcy", 0],
    ["abc", "aXc", "abc", "aXc", 0],
    ["abc", "abc", "aXc", "aXc", 0],
    ["abc", "aXc", "aXc", "aXc", 0],
    ["abc", "aXc", "aYc", "aXc", 1],
    ["abcd", "aXcd", "abYd", "aXYd", 0],
    ["abc", "abXc", "abYc", "abXc", 1],
    ["abc", "abXc", "abXc", "abXc", 0],
    ["abcd", "ad", "abXcd", "ad", 1],
    ["abcd", "abXcd", "ad", "abXcd", 1],
    ["abcd", "Xabcd", "bcd", "Xbcd", 0],
    ["", "x", "", "x", 0],
    ["", "x", "y", "x", 1],
    ["ab", "", "ab", "", 0],
  ])("of %s as %s and %s is %s with %i conflicts", (base, ours, theirs, merged, conflicts) => {
    expect(merge(base, ours, theirs)).toEqual([merged, conflicts]);
  });
});

describe("a review", () => {
  it("of two changes has two hunks; undoing one keeps the other and the user's changes", () => {
    const review = reviewed(FILE, text("a", "B", "c", "d", "e", "F", "g"));
    const current = text("a", "B", "c", "mine", "d", "e", "F", "g", "mine too");
    const now = catchUp(review, current);
    if (now === undefined) throw new Error("nothing left");
    expect(hunksOf(now)).toEqual([
      { beforeStart: 1, before: ["b\n"], afterStart: 1, after: ["B\n"] },
      { beforeStart: 6, before: ["f\n"], afterStart: 6, after: ["F\n"] },
    ]);
    const undone = undoHunk(now, first(hunksOf(now)));
    expect(undone).toBe(text("a", "b", "c", "mine", "d", "e", "F", "g", "mine too"));
    const left = catchUp(now, undone);
    expect(left && hunksOf(left)).toEqual([{ beforeStart: 6, before: ["f\n"], afterStart: 6, after: ["F\n"] }]);
  });

  it("ends when all its hunks are kept", () => {
    const review = reviewed(FILE, text("a", "B", "c", "d", "e", "F", "g"));
    const half = keepHunk(review, first(hunksOf(review)));
    expect(half && hunksOf(half)).toHaveLength(1);
    expect(half && keepHunk(half, first(hunksOf(half)))).toBeUndefined();
  });

  it("continues when the agent changes the file again, without the user's changes in between", () => {
    const review = reviewed(FILE, text("a", "B", "c", "d", "e", "f", "g"));
    const mine = text("a", "B", "c", "d", "e", "f", "g", "mine");
    const again = noteChange(review, mine, text("a", "B", "c", "d", "e", "f", "G", "mine"));
    expect(again && hunksOf(again).map(({ before, after }) => [before, after])).toEqual([
      [["b\n"], ["B\n"]],
      [["g\n"], ["G\n"]],
    ]);
  });

  it("ends when the agent changes the file back", () => {
    expect(noteChange(reviewed("a", "b"), "b", "a")).toBeUndefined();
  });

  it("of a new file deletes the file when its hunk is undone", () => {
    const review = reviewed(null, "new\n");
    expect(undoHunk(review, first(hunksOf(review)))).toBeNull();
  });

  it("of a new file keeps what the user added when its hunk is undone", () => {
    const now = catchUp(reviewed(null, text("new", "newer")), text("mine", "new", "newer", "mine too"));
    if (now === undefined) throw new Error("nothing left");
    expect(undoHunk(now, first(hunksOf(now)))).toBe(text("mine", "mine too"));
    expect(now.baseline).toBe(text("mine", "mine too"));
  });

  it("of a new file that the user emptied deletes the file", () => {
    expect(catchUp(reviewed(null, text("new")), "")).toEqual({ baseline: null, known: "" });
  });

  it("of a deleted file restores it when its hunk is undone", () => {
    const review = reviewed("old\n", null);
    expect(undoHunk(review, first(hunksOf(review)))).toBe("old\n");
  });

  it("of a file that the user has deleted since can only restore the file", () => {
    const now = catchUp(reviewed("old\n", "new\n"), null);
    expect(now).toEqual({ baseline: "old\n", known: null });
  });
});

describe("the key of a hunk", () => {
  const keysOf = (before: string, after: string) => hunksOf(reviewed(before, after)).map(hunkKey);

  it("is unique, even when the hunk before it is judged and the numbers shift", () => {
    const review = reviewed(text("a", "b", "a"), text("A", "b", "A"));
    const [one, two] = hunksOf(review);
    const left = keepHunk(review, first(hunksOf(review)));
    if (one === undefined || two === undefined || left === undefined) throw new Error("no hunks");
    expect(hunkKey(one)).not.toBe(hunkKey(two));
    expect(hunksOf(left).map(hunkKey)).toEqual([hunkKey(two)]);
  });

  it("is the same in the editor, which shows other line endings and no byte order mark", () => {
    expect(keysOf("\uFEFFa\r\nb\r\n", "\uFEFFA\r\nb\r\n")).toEqual(keysOf("a\nb\n", "A\nb\n"));
  });
});

describe("the text of a document", () => {
  it("is compared including the byte order mark of its file", () => {
    const review = reviewed("\uFEFFa\nb\n", "\uFEFFa\nB\n");
    expect(catchUp(review, withMarkOf(review, "a\nB\n"))).toEqual(review);
    expect(withMarkOf(reviewed("a", "b"), "b")).toBe("b");
    expect([withoutMark("\uFEFFa"), withoutMark("a")]).toEqual(["a", "a"]);
  });
});

describe("undoing a change", () => {
  it("restores the earlier file if it has not changed since", () => {
    expect(takeBack(null, "x", "x")).toEqual({ text: null, conflicts: 0 });
    expect(takeBack("x", null, null)).toEqual({ text: "x", conflicts: 0 });
  });

  it("keeps changes of others, elsewhere and in the changed part", () => {
    const after = text("a", "B", "c", "d", "e", "F", "g");
    expect(takeBack(FILE, after, text("a", "B", "c", "d", "e", "mine", "g", "h"))).toEqual({
      text: text("a", "b", "c", "d", "e", "mine", "g", "h"),
      conflicts: 1,
    });
  });

  it("leaves a new file alone that has changed since", () => {
    expect(takeBack(null, "x", "x and mine")).toEqual({ text: "x and mine", conflicts: 1 });
  });
});

/** One step of an interleaving: who changes what, and whether a hunk is undone afterwards. Places are parts of the file. */
const Step = fc.record({
  isUser: fc.boolean(),
  place: fc.double({ min: 0, max: 1, noNaN: true }),
  undo: fc.option(fc.nat()),
});

/** The user adds lines of their own; the agent writes over lines that are not the user's, or between them. */
function change(text: string, { isUser, place }: { isUser: boolean; place: number }, label: string): string {
  const lines = splitLines(text);
  const at = Math.floor(place * lines.length);
  const replaces = !isUser && lines[at]?.startsWith("user") === false;
  lines.splice(at, replaces ? 1 : 0, label);
  return lines.join("");
}

describe("changes by the agent and the user in any order", () => {
  it("keep every line of the user, whichever changes of the agent are undone", () => {
    const property = fc.property(fc.array(Step, { maxLength: 12 }), (steps) => {
      let current = text("0", "1", "2", "3", "4", "5", "6", "7");
      let review: FileReview | undefined;
      for (const [index, step] of steps.entries()) {
        const next = change(current, step, `${step.isUser ? "user" : "agent"} ${index}\n`);
        if (!step.isUser) review = noteChange(review, current, next);
        current = next;
        review = review && catchUp(review, current);
        const hunks = review === undefined ? [] : hunksOf(review);
        const hunk = step.undo === null ? undefined : hunks[step.undo % hunks.length];
        if (review === undefined || hunk?.after.some((line) => line.startsWith("user")) !== false) continue;
        current = undoHunk(review, hunk) ?? "";
        review = catchUp(review, current);
      }
      const own = steps.flatMap(({ isUser }, index) => (isUser ? [`user ${index}\n`] : []));
      expect(splitLines(current)).toEqual(expect.arrayContaining(own));
    });
    fc.assert(property, { numRuns: 500 });
  });

  it("leave the user's version when all of the agent's hunks are undone", () => {
    const property = fc.property(fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 6 }), (places) => {
      const before = Array.from({ length: 24 }, (_, index) => `line ${index}\n`);
      const both = [...before];
      const own = [...before];
      // Each has lines of their own, three apart, so that none of their changes touch.
      for (const [agent, user] of places) {
        both[agent * 3] = `agent ${agent}\n`;
        both[user * 3 + 1] = `user ${user}\n`;
        own[user * 3 + 1] = `user ${user}\n`;
      }
      let review = noteChange(undefined, before.join(""), agentOnly(before, places));
      review = review && catchUp(review, both.join(""));
      let current = both.join("");
      while (review !== undefined) {
        current = undoHunk(review, first(hunksOf(review))) ?? "";
        review = catchUp(review, current);
      }
      expect(current).toBe(places.length === 0 ? before.join("") : own.join(""));
    });
    fc.assert(property, { numRuns: 300 });
  });
});

function agentOnly(before: readonly string[], places: readonly (readonly [number, number])[]): string {
  const lines = [...before];
  for (const [agent] of places) lines[agent * 3] = `agent ${agent}\n`;
  return lines.join("");
}
