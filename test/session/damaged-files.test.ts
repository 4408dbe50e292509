import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Conversation } from "../../agent/session/conversation.ts";
import { linesParts } from "../../agent/session/export/document.ts";
import { readPreview } from "../../agent/session/history/preview.ts";
import { searchFile } from "../../agent/session/history/search.ts";
import { Slices } from "../../agent/session/history/slices.ts";
import { type LoadedSession, readSession } from "../../agent/session/load.ts";
import { buildTree } from "../../agent/session/tree.ts";
import { ScriptedModel } from "../support/scripted-model.ts";
import { reply, text, toolCall } from "../support/scripted-replies.ts";
import { AgentUnderTest, asRecord } from "../support/spawn-agent.ts";
import { answered, chained, HistoryBench, header, jsonLines, said } from "./history-bench.ts";

const LF = 0x0a;
const ASKED = 7;

let bench: HistoryBench;
/** A session as an agent recorded it, and what it holds. */
let recorded: Buffer;

beforeAll(async () => {
  const model = await ScriptedModel.start();
  const recording = new HistoryBench();
  const path = join(recording.folder, "recorded.jsonl");
  const agent = new AgentUnderTest({ modelUrl: model.url, args: ["--session", path] });
  try {
    for (let n = 0; n < ASKED; n++) {
      model.enqueue(
        reply([text(`Ich schaue nach: thinking${n} 漢字`), toolCall("bash", { command: `echo done${n}` })]),
        reply(`Größe: answer${n} 🎉`),
      );
      await agent.run(`Frage äöü: question${n} 🙂`);
    }
  } finally {
    await agent.dispose();
    await model.stop();
  }
  recorded = readFileSync(path);
  recording.dispose();
});

beforeEach(() => {
  bench = new HistoryBench();
});

afterEach(() => bench.dispose());

/** The lines of a file, each with its end. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LF, start);
    lines.push(bytes.subarray(start, end + 1));
    start = end + 1;
  }
  return lines;
}

/** Numbers that look random and are the same every time. */
function* numbers(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

const random = numbers(11);

/** Twenty other bytes, anywhere on the line. */
function garbled(line: Buffer): Buffer {
  const copy = Buffer.from(line);
  for (let n = 0; n < 20; n++) copy[Math.floor(random.next().value * (copy.length - 1))] = 128 + n;
  return copy;
}

/** The line up to the middle of a character that takes several bytes, or its half. */
function inCharacter(line: Buffer): Buffer {
  const at = line.findIndex((byte) => byte >= 0xc0);
  return line.subarray(0, at === -1 ? line.length >> 1 : at + 1);
}

/** Kinds of damage to a line. Only the line itself may be lost. */
const DAMAGES: Record<string, (line: Buffer, before: Buffer) => Buffer> = {
  deleted: () => Buffer.alloc(0),
  "cut in half": (line) => Buffer.concat([line.subarray(0, line.length >> 1), Buffer.from("\n")]),
  "cut in half, with its end": (line) => line.subarray(0, line.length >> 1),
  "cut within a character": (line) => Buffer.concat([inCharacter(line), Buffer.from("\n")]),
  "without its end": (line) => line.subarray(0, -1),
  garbled,
  "all zeros": (line) => Buffer.concat([Buffer.alloc(line.length - 1), Buffer.from("\n")]),
  "all zeros, with its end": (line) => Buffer.alloc(line.length),
  "ended by CR LF": (line) => Buffer.concat([line.subarray(0, -1), Buffer.from("\r\n")]),
  "there twice": (line) => Buffer.concat([line, line]),
  "with the id of the line before": (line, before) => {
    const id = /"id":"([0-9a-f]{8})"/.exec(before.toString())?.[1];
    return id === undefined ? line : Buffer.from(line.toString().replace(/"id":"[0-9a-f]{8}"/, `"id":"${id}"`));
  },
  "another JSON": () => Buffer.from('{"some":"other"}\n'),
};

function load(path: string): LoadedSession {
  const loaded = readSession(path);
  if (loaded === undefined) throw new Error("No session.");
  return loaded;
}

function view(path: string, loaded = load(path)): Conversation {
  return Conversation.view({ cwd: "/", file: path, onWriteError: () => undefined }, loaded);
}

function slices(): Slices {
  return new Slices(new AbortController().signal);
}

/** The words that distinguish the messages of the recorded session. */
function marksIn(value: unknown): string[] {
  return [...new Set(JSON.stringify(value).match(/(?:question|thinking|done|answer)\d/g))].sort();
}

/** Every way to look at a session, each with what it shows. */
async function shownBy(path: string): Promise<Record<string, string[]>> {
  const loaded = load(path);
  const conversation = view(path, loaded);
  const page = {
    header: loaded.header,
    entries: loaded.entries,
    leafId: conversation.leafId,
    redact: (t: string) => t,
  };
  const { messages } = await readPreview(path, 1000, slices());
  expect(messages).toEqual(conversation.messages);
  const { size } = statSync(path);
  expect(loaded.validBytes).toBeLessThanOrEqual(size);
  return {
    conversation: marksIn(conversation.messages),
    tree: marksIn(buildTree(conversation.entries, conversation.labels())),
    export: marksIn([...linesParts(page)]),
  };
}

describe("a session file with a damaged line", () => {
  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`loses no message but those on the line, which is ${name}`, { timeout: 60_000 }, async () => {
      const lines = linesOf(recorded);
      const whole = marksIn(lines.join(""));
      expect(whole).toHaveLength(ASKED * 4);
      for (const [at, line] of lines.entries()) {
        const damaged = lines.map((one, index) => (index === at ? damage(line, lines[index - 1] ?? line) : one));
        const path = bench.write(`${at}.jsonl`, Buffer.concat(damaged));
        const others = marksIn(lines.filter((_, index) => index !== at).join(""));
        const shown = await shownBy(path);
        for (const [where, marks] of Object.entries(shown)) {
          expect(marks, `${where}, line ${at}`).toEqual(expect.arrayContaining(others));
        }
        const sought = others.filter((mark) => /question|answer/.test(mark));
        expect(await searchFile({ path }, sought, slices()), `search, line ${at}`).toBeDefined();
      }
      const { sessions } = await bench.history().list({ limit: 200 });
      expect(sessions).toHaveLength(lines.length);
      expect(sessions.filter(({ problem }) => problem !== undefined)).toEqual([]);
    });
  }

  it("loses no message but those on two lines damaged in any way", { timeout: 60_000 }, async () => {
    const lines = linesOf(recorded);
    const ways = Object.values(DAMAGES);
    for (let round = 0; round < 150; round++) {
      const hit = [0, 1].map(() => Math.floor(random.next().value * lines.length));
      const damaged = lines.map((line, index) => {
        const way = ways[Math.floor(random.next().value * ways.length)];
        return hit.includes(index) && way !== undefined ? way(line, lines[index - 1] ?? line) : line;
      });
      const path = bench.write("two.jsonl", Buffer.concat(damaged));
      const others = marksIn(lines.filter((_, index) => !hit.includes(index)).join(""));
      const { conversation } = await shownBy(path);
      expect(conversation, `lines ${hit.join(" and ")}`).toEqual(expect.arrayContaining(others));
    }
  });
});

describe("a damaged session file", () => {
  it("shows the messages that a compaction kept, even when the first of them is lost", async () => {
    const bodies = [said("one"), answered("two"), said("three"), answered("four"), said("five")];
    const compaction = { type: "compaction", summary: "Before.", firstKeptEntryId: "e2", tokensBefore: 9 };
    const lines = [header(), ...chained(...bodies.slice(0, 4), compaction, ...bodies.slice(4))];
    const path = bench.write("a.jsonl", jsonLines(...lines.filter((_, at) => at !== 3)));
    const { messages } = view(path);
    expect(messages.map(({ role }) => role)).toEqual(["compactionSummary", "assistant", "user"]);
    expect((await readPreview(path, 9, slices())).messages).toEqual(messages);
  });

  it("keeps branches apart that continued from a lost line", () => {
    const [, e1, ...rest] = chained(said("one"), answered("two"), said("three"), answered("four"));
    const other = { ...asRecord(chained(said("other"))[0]), id: "e9", parentId: "e1" };
    const path = bench.write("a.jsonl", jsonLines(header(), ...chained(said("one")), ...rest, other));
    expect(e1).toBeDefined();
    const [root] = buildTree(view(path).entries, new Map());
    expect(root?.children.map(({ entry }) => entry.id)).toEqual(["e2", "e9"]);
  });

  it("keeps two entries with one id, and the order of their children", () => {
    const [e0, e1, e2] = chained(said("one"), answered("two"), said("three")).map(asRecord);
    const lines = [
      e0,
      e1,
      { ...e2, id: "e1", parentId: "e1" },
      { ...asRecord(chained(said("four"))[0]), id: "e4", parentId: "e1" },
    ];
    const path = bench.write("a.jsonl", jsonLines(header(), ...lines.map(asRecord)));
    expect(
      view(path)
        .path()
        .map(({ id, parentId }) => [id, parentId]),
    ).toEqual([
      ["e0", null],
      ["e1", "e0"],
      ["e1-2", "e1"],
      ["e4", "e1-2"],
    ]);
  });

  it("of another program is still refused, however it begins", () => {
    const notes = bench.write("notes.jsonl", `${JSON.stringify({ a: 1 })}\n`.repeat(30));
    const few = bench.write("few.jsonl", "one\ntwo\n");
    for (const path of [notes, few]) expect(() => readSession(path)).toThrow("is not a valid tiller session");
  });

  it("can begin with a byte order mark and contain millions of zeros", async () => {
    const lines = jsonLines(header(), ...chained(said("one"), answered("two"))).split("\n");
    const hole = "\0".repeat(3_000_000);
    lines.splice(2, 0, `{"type":"message","message":${hole}{"type":"message"${hole}x`);
    const path = bench.write("a.jsonl", `\uFEFF${lines.join("\n")}`);
    expect(view(path).messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    expect((await readPreview(path, 9, slices())).id).toBe("s-1");
    expect((await bench.history().list({})).sessions).toMatchObject([{ id: "s-1", messageCount: 2 }]);
  });

  it("is read in linear time, even when every other line is lost", () => {
    const read = (count: number) => {
      const entries = chained(...Array.from({ length: count }, (_, index) => said(`number ${index}`)));
      const path = bench.write("long.jsonl", jsonLines(header(), ...entries.filter((_, at) => at % 2 === 0)));
      const times = [1, 2, 3].map(() => {
        const beganAt = performance.now();
        expect(view(path).messages).toHaveLength(count / 2);
        return performance.now() - beganAt;
      });
      return Math.min(...times);
    };
    const [small, large] = [read(4000), read(40_000)];
    expect(large).toBeLessThan(Math.max(small, 20) * 40);
  });
});
