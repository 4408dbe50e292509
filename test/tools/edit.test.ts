import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyPatch } from "diff";
import { describe, expect, it } from "vitest";
import { editTool } from "../../agent/tools/edit.ts";
import { readTool } from "../../agent/tools/read.ts";
import { SeenFiles } from "../../agent/tools/seen-files.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

interface Edited {
  text: string;
  details: unknown;
  content: string;
}

async function edit(content: string | Buffer, args: Record<string, unknown>): Promise<Edited> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "f"), content);
  const output = await runTool(editTool, { path: "f", ...args }, toolContext(folder));
  return { text: textOf(output), details: output.details, content: await readFile(join(folder, "f"), "utf8") };
}

const one = (oldText: string, newText: string) => ({ edits: [{ oldText, newText }] });

describe("edit", () => {
  it("keeps a notebook JSON, and may mend one that is broken", async () => {
    const folder = await temporaryFolder();
    const file = join(folder, "a.ipynb");
    const edit = (oldText: string, newText: string) =>
      runTool(editTool, { path: "a.ipynb", edits: [{ oldText, newText }] }, toolContext(folder));
    await writeFile(file, '{"cells": [{"source": ["x = 1\\n"]}]}');
    await expect(edit("x = 1", 'x = "a"')).rejects.toThrow("so nothing was written: the text isn't JSON");
    expect(await readFile(file, "utf8")).toBe('{"cells": [{"source": ["x = 1\\n"]}]}');
    await edit("x = 1", "x = 2");
    await writeFile(file, '{"cells": [{"source": ["x = 1');
    await edit("x = 1", 'x = 1"]');
    expect(await readFile(file, "utf8")).toBe('{"cells": [{"source": ["x = 1"]');
    await writeFile(file, '{"nbformat": 4, "cells": []}');
    await expect(edit("[]", "{}")).rejects.toThrow("so nothing was written: the text has no list of valid cells");
  });

  it("matches several replacements against the original", async () => {
    const edits = [
      { oldText: "b", newText: "a" },
      { oldText: "a", newText: "b" },
    ];
    const result = await edit("a\nb\n", { edits });
    expect([result.text, result.content]).toEqual(["Successfully replaced 2 block(s) in f.", "b\na\n"]);
  });

  it("accepts one edit at the top level, as an object and as JSON text", async () => {
    const pair = { oldText: "a", newText: "b" };
    const forms = [pair, { edits: pair }, { edits: JSON.stringify([pair]) }];
    const texts = await Promise.all(forms.map(async (form) => (await edit("a", form)).text));
    expect(texts).toEqual([
      "Successfully replaced text in f.",
      "Successfully replaced 1 block(s) in f.",
      "Successfully replaced 1 block(s) in f.",
    ]);
  });

  it("shows models only the plain form", () => {
    expect(editTool.parameters).toMatchObject({
      required: ["path", "edits"],
      properties: { edits: { type: "array" } },
    });
  });

  it("describes the change with line numbers and as a patch", async () => {
    const before = Array.from({ length: 30 }, (_, index) => `l${index + 1}\n`).join("");
    const { details, content } = await edit(before, one("l20\n", "new\nlines\n"));
    expect(details).toMatchObject({
      firstChangedLine: 20,
      diff: [
        "    ...",
        " 16 l16",
        " 17 l17",
        " 18 l18",
        " 19 l19",
        "-20 l20",
        "+20 new",
        "+21 lines",
        " 22 l21",
        " 23 l22",
        " 24 l23",
        " 25 l24",
      ].join("\n"),
    });
    const patch = typeof details === "object" && details !== null && "patch" in details ? String(details.patch) : "";
    expect(patch).toContain("@@ -16,9 +16,10 @@");
    expect(applyPatch(before, patch)).toBe(content);
  });

  it("keeps BOM and CRLF", async () => {
    const result = await edit("\ufeffone\r\ntwo\r\nthree\r\n", one("one\ntwo", "1\n2"));
    expect(result.content).toBe("\ufeff1\r\n2\r\nthree\r\n");
  });

  it("matches despite different quotes, dashes, spaces and Unicode forms, and keeps the rest", async () => {
    const before = "“keep”  \nsay(‘hi’)\u00a0— ﬁne  \nnext\t\n“keep”\r\n";
    const result = await edit(before, one("say('hi') - fine\nnext", "done"));
    expect(result.content).toBe("“keep”  \ndone\t\n“keep”\r\n");
  });

  it("does not match the start of a word as a word with a space after it", async () => {
    await expect(edit("foobar", one("foo ", "x"))).rejects.toThrow("Could not find the exact text in f.");
  });

  it.each([
    ["no edits", { edits: [] }, "Edit tool input is invalid. edits must contain at least one replacement."],
    ["an empty text", one("", "x"), "oldText must not be empty in f."],
    [
      "a text that is not there",
      one("zzz", "x"),
      "Could not find the exact text in f. The old text must match exactly including all whitespace and newlines.",
    ],
    [
      "a text that is there twice",
      one("dup", "x"),
      "Found 2 occurrences of the text in f. The text must be unique. Please provide more context to make it unique.",
    ],
    [
      "the same text again",
      one("abc", "abc"),
      "No changes made to f. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.",
    ],
  ])("refuses %s", async (_case, args, message) => {
    await expect(edit("abc dup dup", args)).rejects.toThrow(message);
  });

  it.each([
    ["", "edits[1].oldText must not be empty in f."],
    ["zzz", "Could not find edits[1] in f. The oldText must match exactly including all whitespace and newlines."],
    [
      "dup",
      "Found 2 occurrences of edits[1] in f. Each oldText must be unique. Please provide more context to make it unique.",
    ],
    ["bc", "edits[0] and edits[1] overlap in f. Merge them into one edit or target disjoint regions."],
  ])("names the edit that does not match among several: %j", async (oldText, message) => {
    const edits = [
      { oldText: "ab", newText: "x" },
      { oldText, newText: "y" },
    ];
    await expect(edit("abc dup dup", { edits })).rejects.toThrow(message);
  });

  it("reports when several edits change nothing", async () => {
    const edits = ["a", "b"].map((text) => ({ oldText: text, newText: text }));
    await expect(edit("ab", { edits })).rejects.toThrow(
      "No changes made to f. The replacements produced identical content.",
    );
  });

  it("shows the nearest lines and the first difference when a text is not there", async () => {
    const file = "function add(a, b) {\n  return a + b;\n}\n\nfunction sub(a, b) {\n  return a - b;\n}\n";
    const wrong = one("function sub(a, b) {\n\treturn a - b;\n}", "x");
    await expect(edit(file, wrong)).rejects.toThrow(
      [
        "The nearest lines of the file:",
        "  4| ",
        "  5| function sub(a, b) {",
        "> 6|   return a - b;",
        "  7| }",
        'First difference, line 6: the file has "  return a - b;", oldText has "\\treturn a - b;" (only blanks differ).',
      ].join("\n"),
    );
  });

  it("shows every place when a text is in several", async () => {
    const file = "a\nsame\nb\nc\nd\ne\nsame\nf\n";
    await expect(edit(file, one("same", "x"))).rejects.toThrow(
      "  1| a\n> 2| same\n  3| b\n  4| c\n  …\n  5| d\n  6| e\n> 7| same\n  8| f",
    );
  });

  it("replaces every occurrence when told so, unless they overlap", async () => {
    const all = (oldText: string) => ({ edits: [{ oldText, newText: "x", replaceAll: true }] });
    expect(await edit("a-b\na-b\n", all("a"))).toMatchObject({
      text: "Successfully replaced 2 block(s) in f.",
      content: "x-b\nx-b\n",
    });
    await expect(edit("aaa", all("aa"))).rejects.toThrow("Found 2 occurrences");
  });

  it("shifts an edit whose lines all lack the same indentation, and says so", async () => {
    const file = "class A:\n    def f(self):\n        return 1\n";
    const result = await edit(file, one("def f(self):\n    return 1\n", "def f(self):\n    x = 1\n\n    return x\n"));
    expect(result.content).toBe("class A:\n    def f(self):\n        x = 1\n\n        return x\n");
    expect(result.text).toContain("The indentation of the edit was shifted to that of the file.");
  });

  it("tells whether a file that lacks a text has changed since it was read", async () => {
    const folder = await temporaryFolder();
    const context = toolContext(folder, { seenFiles: new SeenFiles() });
    await writeFile(join(folder, "f"), "abc\n");
    const miss = () => runTool(editTool, { path: "f", ...one("xyz", "") }, context);
    await expect(miss()).rejects.toThrow("You have not read this file in this session.");
    await runTool(readTool, { path: "f" }, context);
    await expect(miss()).rejects.toThrow("The file has not changed since you read it.");
    await writeFile(join(folder, "f"), "abcdef\n");
    await expect(miss()).rejects.toThrow("The file has changed since you read it");
    await runTool(editTool, { path: "f", ...one("abc", "") }, context);
    await expect(miss()).rejects.toThrow("You have changed this file since you last read it.");
  });

  it("refuses an edit soon in a file with a line of a megabyte", async () => {
    const line = `${" ".repeat(1_000_000)}x`;
    await expect(edit(`a\n${line}\nb\n`, one("  bar baz", "  c"))).rejects.toThrow("Could not find");
  });

  it("explains why a file cannot be edited", async () => {
    const folder = await temporaryFolder();
    const context = toolContext(folder);
    await mkdir(join(folder, "d"));
    await writeFile(join(folder, "latin1"), Buffer.from([0x61, 0xe9]));
    await writeFile(join(folder, "large"), "");
    await truncate(join(folder, "large"), 80 * 1024 * 1024);
    const run = (path: string) => runTool(editTool, { path, ...one("a", "b") }, context);
    await expect(run("none")).rejects.toThrow("File not found: none");
    await expect(run("d")).rejects.toThrow("Could not edit file: d. Error code: EISDIR.");
    await expect(run("latin1")).rejects.toThrow("Could not edit file: latin1. It is not UTF-8 text. Use bash instead.");
    await expect(run("large")).rejects.toThrow("Could not edit file: large. It is 80.0MB, and the limit is 64.0MB.");
  });

  it("applies calls on one file in order", async () => {
    const folder = await temporaryFolder();
    const names = Array.from({ length: 10 }, (_, index) => `<${index}>`);
    await writeFile(join(folder, "f"), names.join(""));
    const calls = names.map((name) => runTool(editTool, { path: "f", ...one(name, "x") }, toolContext(folder)));
    await Promise.all(calls);
    expect(await readFile(join(folder, "f"), "utf8")).toBe("xxxxxxxxxx");
  });
});
