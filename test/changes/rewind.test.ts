import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Change } from "../../agent/changes/change-journal.ts";
import type { SeenChange } from "../../agent/changes/change-recorder.ts";
import { ContentStore } from "../../agent/changes/content-store.ts";
import { type FileContent, isBytes, keepContent } from "../../agent/changes/file-content.ts";
import { hunksOf, keepHunk } from "../../agent/changes/file-review.ts";
import { ReviewBook } from "../../agent/changes/review-book.ts";
import { changesFrom, changesOf, planRewind, type Restored } from "../../agent/changes/rewind.ts";
import { temporaryFolder } from "../support/run-tool.ts";

/** The content of a file in a test: text, bytes, nothing, or unknown. */
type Sample = string | Buffer | FileContent;

function toContent(sample: Sample): FileContent {
  if (typeof sample === "string") return { bytes: Buffer.from(sample) };
  return Buffer.isBuffer(sample) ? { bytes: sample } : sample;
}

async function seen(store: ContentStore, path: string, from: Sample, to: Sample): Promise<SeenChange> {
  const [before, after] = [toContent(from), toContent(to)];
  const sides = { before: await keepContent(before, store), after: await keepContent(after, store) };
  const change: Change = { at: 1, session: "s", toolCallId: "c", toolName: "edit", path, ...sides };
  return { change, before, after };
}

/** Takes back changes of one file. @returns the file as it would be. */
async function rewind(steps: readonly (readonly [Sample, Sample])[], current: Sample): Promise<unknown> {
  const store = new ContentStore(await temporaryFolder());
  const changes = await Promise.all(steps.map(async ([from, to]) => (await seen(store, "/a", from, to)).change));
  const [plan] = await planRewind(changes, { store, read: async () => toContent(current) });
  return plan === undefined ? "unchanged" : show(plan);
}

function show({ restored, conflicts, lost }: Restored): unknown {
  const text = isBytes(restored) ? Buffer.from(restored.bytes).toString() : restored;
  return conflicts + lost === 0 ? text : { text, conflicts, lost };
}

const IMAGE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]);

describe("a change", () => {
  const change = (session: string, toolCallId: string, at: number): Change => ({
    ...{ at, session, toolCallId, toolName: "edit", path: "/a" },
    ...{ before: null, after: null },
  });

  it("belongs to the call that made it, which may have made several", () => {
    const all = [change("s", "call", 1), change("s", "call /a", 1), change("s", "call2", 1)];
    expect(changesOf(all, "s", "call")).toEqual(all.slice(0, 2));
  });

  it("of another chat is not undone or shown, although its call ids are the same", () => {
    const mine = [change("mine", "edit:0", 10), change("mine", "edit:1", 20)];
    const theirs = [change("theirs", "edit:0", 15), change("theirs", "edit:1", 30)];
    const all = [...mine, ...theirs].sort((a, b) => a.at - b.at);
    const calls = [
      { id: "edit:0", from: 9, to: 11 },
      { id: "edit:1", from: 19, to: 21 },
    ];
    expect(changesFrom(all, { session: "mine", from: 5, calls })).toEqual(mine);
    expect(changesOf(all, "mine", "edit:1")).toEqual([mine[1]]);
    // A fork has made nothing itself, and all the same has what was made before it.
    expect(changesFrom(all, { session: "fork", from: 15, calls })).toEqual([mine[1]]);
    expect(changesOf(all, "fork", "edit:2")).toEqual([]);
  });
});

describe("undoing changes", () => {
  it.each([
    ["one change", [["a\n", "b\n"]], "b\n", "a\n"],
    [
      "several, the last first",
      [
        ["a\n", "b\n"],
        ["b\n", "c\n"],
      ],
      "c\n",
      "a\n",
    ],
    ["what the user added stays", [["a\nb\nc\n", "A\nb\nc\n"]], "A\nb\nc\nmine\n", "a\nb\nc\nmine\n"],
    [
      "what the user did between two changes stays",
      [
        ["a\nb\nc\n", "A\nb\nc\n"],
        ["A\nb\nc\nmine\n", "A\nb\nC\nmine\n"],
      ],
      "A\nb\nC\nmine\n",
      "a\nb\nc\nmine\n",
    ],
    ["a file that was made goes", [[null, "new"]], "new", null],
    [
      "a file that was made and changed since stays",
      [[null, "new"]],
      "new, and mine",
      { text: "new, and mine", conflicts: 1, lost: 0 },
    ],
    ["a file that was deleted comes back", [["old", null]], null, "old"],
    ["an image comes back", [[IMAGE, "x"]], "x", IMAGE.toString()],
    [
      "an image that was changed since stays",
      [["x", IMAGE]],
      Buffer.concat([IMAGE, IMAGE]),
      { text: Buffer.concat([IMAGE, IMAGE]).toString(), conflicts: 1, lost: 0 },
    ],
    ["what is not known is said", [[{ unknown: "notSeen" }, "x"]], "x", { text: "x", conflicts: 0, lost: 1 }],
    ["a file that is as before already is left out", [["a\n", "b\n"]], "a\n", "unchanged"],
  ] satisfies [string, [Sample, Sample][], Sample, unknown][])("%s", async (_, steps, current, expected) => {
    expect(await rewind(steps, current)).toEqual(expected);
  });
});

describe("the list of pending changes", () => {
  async function openBook() {
    const folder = await temporaryFolder();
    const store = new ContentStore(join(folder, "contents"));
    const ports = { path: join(folder, "book.json"), store, changed: () => undefined };
    return { store, ports, book: await ReviewBook.open(ports) };
  }

  it("is unchanged when it is opened again", async () => {
    const { store, ports, book } = await openBook();
    book.note(await seen(store, "/a", "1\n2\n3\n", "1\nX\n3\n"));
    book.note(await seen(store, "/p.png", IMAGE, null));
    await book.save();
    const again = await ReviewBook.open(ports);
    expect(again.files.map(({ path, review }) => [path, review])).toEqual([
      ["/a", { baseline: "1\n2\n3\n", known: "1\nX\n3\n" }],
      ["/p.png", undefined],
    ]);
    expect(again.get("/p.png")?.before).toEqual({ bytes: IMAGE });
  });

  it("keeps contents that only it names when old contents are deleted", async () => {
    const { store, ports, book } = await openBook();
    book.note(await seen(store, "/a", "1\n2\n3\n", "X\n2\nY\n"));
    const review = book.get("/a")?.review;
    const hunk = review && hunksOf(review)[0];
    if (review === undefined || hunk === undefined) throw new Error("nothing to judge");
    book.judged("/a", keepHunk(review, hunk));
    await book.save();
    for (let window = 0; window < 2; window += 1) {
      const later = new ContentStore(join(dirname(ports.path), "contents"));
      const again = await ReviewBook.open({ ...ports, store: later });
      await later.collect([], 1_000);
      expect(again.get("/a")?.review).toEqual({ baseline: "X\n2\n3\n", known: "X\n2\nY\n" });
    }
  });

  it("drops a file when it is judged completely, or is as before", async () => {
    const { store, book } = await openBook();
    book.note(await seen(store, "/a", "1\n", "2\n"));
    const review = book.get("/a")?.review;
    const hunk = review && hunksOf(review)[0];
    if (review === undefined || hunk === undefined) throw new Error("nothing to judge");
    book.judged("/a", keepHunk(review, hunk));
    book.note(await seen(store, "/b", "1\n", "2\n"));
    book.catchUp("/b", "1\n");
    book.note(await seen(store, "/c", IMAGE, "x"));
    book.note(await seen(store, "/c", "x", IMAGE));
    expect(book.files).toEqual([]);
  });

  it("is empty when it cannot be read", async () => {
    const { ports } = await openBook();
    expect((await ReviewBook.open({ ...ports, path: "/dev/null" })).files).toEqual([]);
  });
});
