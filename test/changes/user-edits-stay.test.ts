import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { ChangeRecord, Selection } from "../../agent/changes/change-record.ts";
import { MemoryRecord } from "../support/memory-record.ts";

const RUNS = 2_000;
const NAMES = ["/w/a", "/w/b", "/w/c"] as const;

const name = fc.constantFrom(...NAMES);
const place = fc.nat(9);
const edit = fc.constantFrom("insert", "replace", "delete", "append", "rewrite");

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ who: fc.constant("user"), name, place, edit }) },
  { weight: 1, arbitrary: fc.record({ who: fc.constant("user deletes"), name }) },
  { weight: 5, arbitrary: fc.record({ who: fc.constant("agent"), name, place, edit, more: fc.option(name) }) },
  { weight: 1, arbitrary: fc.record({ who: fc.constant("agent deletes"), name }) },
  { weight: 1, arbitrary: fc.record({ who: fc.constant("agent renames"), name, to: name }) },
  { weight: 1, arbitrary: fc.record({ who: fc.constant("keep"), what: fc.nat(9), name }) },
  { weight: 4, arbitrary: fc.record({ who: fc.constant("undo"), what: fc.nat(9), name, merge: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Returns a text after an edit that adds at most one line of its own. */
function edited(text: string | undefined, line: string, at: number, kind: string): string {
  const lines = (text ?? "").split(/(?<=\n)/).filter((one) => one !== "");
  const index = lines.length === 0 ? 0 : at % lines.length;
  if (kind === "insert") lines.splice(index, 0, line);
  else if (kind === "replace") lines.splice(index, 1, line);
  else if (kind === "delete") lines.splice(index, 1);
  else if (kind === "append") lines.push(line);
  else lines.splice(0, lines.length, line, "common\n", line.toUpperCase());
  return lines.join("");
}

/** Runs a history, and calls `check` around everything that keeps or undoes changes. */
async function play(
  steps: readonly Step[],
  check: (work: () => Promise<unknown>, memory: MemoryRecord) => Promise<void>,
) {
  const memory = new MemoryRecord();
  for (const path of NAMES.slice(0, 2)) memory.byHand(path, "one\ntwo\nthree\nfour\nfive\nsix\n");
  const calls: string[] = [];
  for (const [index, one] of steps.entries()) {
    const id = `c${index}`;
    if ("more" in one) {
      const texts = [one.name, ...(one.more === null ? [] : [one.more])].map((path) => [
        path,
        edited(memory.files.get(path), `agent ${index}\n`, one.place, one.edit),
      ]);
      await memory.call(id, Object.fromEntries(texts));
      calls.push(id);
    } else if ("edit" in one) {
      memory.byHand(one.name, edited(memory.files.get(one.name), `user ${index}\n`, one.place, one.edit));
    } else if ("to" in one) {
      const text = memory.files.get(one.name);
      if (text === undefined || one.name === one.to) continue;
      await memory.call(id, { [one.name]: null, [one.to]: text });
      calls.push(id);
    } else if ("merge" in one) {
      await check(() => undo(memory, one, calls), memory);
    } else if ("what" in one) {
      await check(() => keep(memory.record, one, calls), memory);
    } else if (one.who === "agent deletes") {
      await memory.call(id, { [one.name]: null });
      calls.push(id);
    } else memory.byHand(one.name, null);
  }
}

function selectionOf(
  { what, name: path }: { what: number; name: string },
  calls: readonly string[],
  now = 0,
): Selection {
  if (what < 3) return { paths: [path] };
  if (what < 6) return { toolCallId: calls[what % Math.max(calls.length, 1)] ?? "none" };
  return what < 8 ? { from: now - what * 5 } : {};
}

async function undo(
  memory: MemoryRecord,
  one: { what: number; name: string; merge: boolean },
  calls: readonly string[],
) {
  if (one.what !== 9) return memory.record.undo(selectionOf(one, calls, memory.now), { merge: one.merge });
  const selection = { paths: [one.name] };
  const hunks = await hunksOf(memory.record, one.name);
  const hunk = hunks[one.merge ? 0 : hunks.length - 1];
  return hunk === undefined ? undefined : memory.record.undo(selection, { hunk });
}

async function keep(record: ChangeRecord, one: { what: number; name: string }, calls: readonly string[]) {
  const [hunk] = one.what === 9 ? await hunksOf(record, one.name) : [];
  return hunk === undefined ? record.keep(selectionOf(one, calls)) : record.keep({ paths: [one.name] }, hunk);
}

async function hunksOf(record: ChangeRecord, path: string): Promise<string[]> {
  const listed = await record.list({});
  if (!listed.some((file) => file.path === path)) return [];
  return (await record.show({}, path)).hunks.map(({ id }) => id);
}

/** Returns the lines that the user has written, wherever they stand. */
function userLines(files: ReadonlyMap<string, string>): string[] {
  return [...files.values()].flatMap((text) => text.match(/^user .*$/gim) ?? []);
}

it("no line of the user is lost, whatever is kept or undone after whatever the agent and the user did", async () => {
  let undone = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      await play(steps, async (work, { files }) => {
        const [before, text] = [userLines(files), JSON.stringify([...files])];
        await work();
        expect([...new Set(userLines(files))]).toEqual(expect.arrayContaining([...new Set(before)]));
        if (JSON.stringify([...files]) !== text) undone += 1;
      });
    }),
    { numRuns: RUNS },
  );
  expect(undone).toBeGreaterThan(RUNS / 4); // many of them did change files
});

it("without changes of the user, undoing everything brings back what was there first", async () => {
  const agentOnly = step.filter(({ who }) => who.startsWith("agent"));
  await fc.assert(
    fc.asyncProperty(fc.array(agentOnly, { minLength: 1, maxLength: 12 }), async (steps) => {
      let memory = new MemoryRecord();
      const all = { who: "undo", what: 8, name: NAMES[0], merge: false } as const;
      await play([...steps, all], async (work, played) => {
        await work();
        memory = played;
      });
      const first = "one\ntwo\nthree\nfour\nfive\nsix\n";
      expect(Object.fromEntries(memory.files)).toEqual({ "/w/a": first, "/w/b": first });
    }),
    { numRuns: 500 },
  );
});
