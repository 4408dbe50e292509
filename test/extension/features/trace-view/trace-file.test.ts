import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { secretFinder } from "../../../../agent/util/secrets.ts";
import { readNote, writeNote } from "../../../../extension/core/trace/notes.ts";
import type { TraceEntry } from "../../../../extension/core/trace/wire-trace.ts";
import {
  NoTrace,
  readTrace,
  type TraceHeader,
  traceFile,
} from "../../../../extension/features/trace-view/trace-file.ts";

const HEADER: Omit<TraceHeader, "format" | "version"> = {
  savedAt: 5,
  tiller: "1.2.3",
  title: "Talk",
  idPrefix: "abc",
  cwd: "/work",
  dropped: 2,
};
const KNOWN = 'pass"word\\1';
const find = secretFinder([KNOWN]);
const bytes = (text: string) => new TextEncoder().encode(text);

function entries(...texts: string[]): TraceEntry[] {
  return texts.map((text, index) => ({ seq: index + 7, at: index * 10, direction: "in", text, size: text.length }));
}
const frames = (...values: unknown[]) => entries(...values.map((value) => JSON.stringify(value)));
const saved = async (list: readonly TraceEntry[]) => traceFile(HEADER, list, find);

function delta(text: string, contentIndex = 0) {
  return { type: "message_update", assistantMessageEvent: { type: "text_delta", contentIndex, delta: text } };
}

describe("a trace file", () => {
  test("is a header and a line for each frame, and reads back the same", async () => {
    const list = [
      ...frames({ type: "ready", version: "1" }),
      { seq: 9, at: 4, direction: "out" as const, text: "no json {", size: 9 },
      { seq: 10, at: 5, direction: "host" as const, text: "", size: 99_999 },
    ];
    const text = await saved(list);
    expect(text).toBe(
      [
        '{"format":"tillertrace","version":1,"savedAt":5,"tiller":"1.2.3","title":"Talk","idPrefix":"abc","cwd":"/work","dropped":2}',
        '{"n":7,"t":0,"d":"in","s":30,"f":{"type":"ready","version":"1"}}',
        '{"n":9,"t":4,"d":"out","s":9,"x":"no json {"}',
        '{"n":10,"t":5,"d":"host","s":99999}',
        "",
      ].join("\n"),
    );
    const read = await readTrace(bytes(text));
    expect(read.header).toEqual({ format: "tillertrace", version: 1, ...HEADER });
    expect(read.entries.map(({ text: frame }) => frame)).toEqual(['{"type":"ready","version":"1"}', "no json {", ""]);
    expect(read.entries.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  test("contains no secret that arrived in pieces, in text, arguments or shell output", async () => {
    const text = await saved(
      frames(
        delta("The key is sk-a"),
        delta("nt-api03-0123"),
        delta("456789 and "),
        delta("more"),
        { type: "message_end" },
        { type: "bash_execution_update", delta: "TOKEN=gh" },
        { type: "bash_execution_update", delta: "p_0123456789abcdefghij" },
        { type: "bash_execution_update", delta: "klm\ndone" },
      ),
    );
    const deltas = [...text.matchAll(/"delta":"([^"]*)"/g)].map(([, piece]) => piece);
    expect(deltas).toEqual(["The key is [redacted]", "", " and ", "more", "TOKEN=[redacted]", "", "\\ndone"]);
  });

  test("contains no secret in any field of a frame", async () => {
    const secret = fc.constantFrom("sk-ant-api03-Zz9_aBcDeFgH", "ghp_0123456789abcdefABCDEF0123456789abcd", KNOWN);
    const around = fc.string({ unit: fc.constantFrom("a", " ", "\n", '"', "\\", "é", "{", ":") });
    await fc.assert(
      fc.asyncProperty(secret, around, around, fc.json(), fc.nat(4), async (key, before, behind, other, place) => {
        const held = `${before} ${key} ${behind}`;
        const places = [
          { type: "prompt", message: held },
          { type: "x", list: [1, [held]], other: JSON.parse(other) },
          { type: "x", args: JSON.stringify({ inner: JSON.stringify({ held }) }) },
          { type: "x", [held]: true },
          { type: "x", authorization: { scheme: [key] } },
        ];
        const [line = ""] = (await saved(frames(places[place]))).split("\n").slice(1);
        const flat: string[] = [];
        JSON.parse(line, (name, value: unknown) => {
          flat.push(name, typeof value === "string" ? value : "");
          return value;
        });
        expect(flat.join("\n")).not.toContain(key);
        expect(line).not.toContain(key);
        expect(line.replaceAll("\\", "")).not.toContain(key.replaceAll("\\", ""));
      }),
      { numRuns: 300 },
    );
  });

  test("contains no secret wherever a stream is split, and keeps all the rest", async () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 12 }).map((places) => [...new Set(places)].sort((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const whole = "before ghp_0123456789abcdefghij, between AKIAIOSFODNN7EXAMPLE after";
        const ends = [...places.slice(1), whole.length];
        const pieces =
          places.length === 0
            ? [whole]
            : [whole.slice(0, places[0]), ...places.map((at, index) => whole.slice(at, ends[index]))];
        const lines = (await saved(frames(...pieces.map((piece) => delta(piece))))).trim().split("\n").slice(1);
        const kept = lines.map((line) => JSON.parse(line).f.assistantMessageEvent.delta).join("");
        expect(kept).toBe("before [redacted], between [redacted] after");
      }),
      { numRuns: 300 },
    );
  });

  test("keeps everything except secrets", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (json) => {
        const [, line = ""] = (await traceFile(HEADER, entries(json), secretFinder([]))).split("\n");
        expect(JSON.parse(line).f).toEqual(JSON.parse(json));
      }),
    );
  });

  test.each([
    ["nothing", ""],
    ["something else", "hello"],
    ["another format", '{"format":"x","version":1}'],
    ["binary", "\u0000\u0001\ufffd"],
    ["a header with wrong fields", '{"format":"tillertrace","version":1,"savedAt":"now"}'],
  ])("that is %s is refused", async (_, text) => {
    await expect(readTrace(bytes(text))).rejects.toThrow(new NoTrace("This isn't a Tiller trace file."));
  });

  test("of a later version is refused", async () => {
    const header = JSON.stringify({ format: "tillertrace", ...HEADER, version: 2 });
    await expect(readTrace(bytes(header))).rejects.toThrow(
      "This trace was saved by a newer version of Tiller. Update Tiller to open it.",
    );
  });

  test("can have unreadable lines, which are counted", async () => {
    const text = await saved(frames({ type: "a" }, { type: "b" }));
    const broken = `${text}{"n":0}\nnonsense\n\n${"[".repeat(100_000)}\n{"n":3,"t":1,"d":"in","s":1,"f":`;
    const { entries: read, skipped } = await readTrace(bytes(broken));
    expect([read.length, skipped]).toEqual([2, 4]);
  });
});

test("the title of a trace file contains no secret", async () => {
  const text = await traceFile({ ...HEADER, title: "Use ghp_0123456789abcdefghij" }, [], find);
  expect((await readTrace(bytes(text))).header.title).toBe("Use [redacted]");
});

describe("a note of the host", () => {
  test("keeps its removed fields, and their order", () => {
    const note = { type: "host_ui", ui: { setup: undefined, modelLabel: "m", contextTokens: 3 } } as const;
    const read = readNote(JSON.parse(writeNote(note)));
    expect(read).toStrictEqual(note);
    expect(Object.keys(read?.type === "host_ui" ? read.ui : {})).toEqual(["setup", "modelLabel", "contextTokens"]);
  });

  test.each([
    null,
    1,
    {},
    { type: "host_ui" },
    { type: "host_ui", ui: { costUsd: "much" } },
    { type: "host_status", status: "?" },
  ])("of another form is ignored: %j", (value) => {
    expect(readNote(value)).toBeUndefined();
  });
});
