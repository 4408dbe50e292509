import { mkdir, open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTool } from "../../agent/tools/read.ts";
import { png } from "../support/pictures.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

async function readContent(content: string | Buffer, args: Record<string, unknown> = {}) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "file"), content);
  return runTool(readTool, { path: "file", ...args }, toolContext(folder));
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join("");

describe("read", () => {
  it("returns a whole small file unchanged", async () => {
    expect(await readContent("a\nb — ü\n")).toEqual({ content: [{ type: "text", text: "a\nb — ü\n" }] });
  });

  it("numbers the lines when it is told so, or when the model has tools that take line numbers", async () => {
    expect(textOf(await readContent("a\nb\nc\n", { offset: 2, lineNumbers: true }))).toBe("2\tb\n3\tc\n");
    expect(textOf(await readContent("a\nb\nc", { limit: 2, lineNumbers: true }))).toBe(
      "1\ta\n2\tb\n\n[1 more lines in file. Use offset=3 to continue.]",
    );
    const folder = await temporaryFolder();
    await writeFile(join(folder, "file"), "a\n");
    const context = toolContext(folder, { numbersLines: () => true });
    const read = async (args: object) => textOf(await runTool(readTool, { path: "file", ...args }, context));
    expect([await read({}), await read({ lineNumbers: false })]).toEqual(["1\ta\n", "a\n"]);
  });

  it("shows a notebook as its cells and their outputs, without line numbers", async () => {
    const folder = await temporaryFolder();
    const notebook = {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        { cell_type: "markdown", metadata: {}, source: ["# Title\n", "Text"] },
        {
          cell_type: "code",
          execution_count: 3,
          metadata: {},
          source: "plot()",
          outputs: [
            { output_type: "stream", name: "stdout", text: ["one\n", "two\n"] },
            { output_type: "display_data", data: { "image/png": "aGk=", "text/plain": ["<Figure>"] }, metadata: {} },
            { output_type: "error", ename: "KeyError", evalue: "x", traceback: ["\u001b[31mKeyError\u001b[0m: x"] },
          ],
        },
        { cell_type: "code", execution_count: null, metadata: {}, source: [], outputs: [] },
      ],
    };
    await writeFile(join(folder, "a.ipynb"), JSON.stringify(notebook));
    await writeFile(join(folder, "b.ipynb"), '{"cells": 1}');
    const context = toolContext(folder, { numbersLines: () => true });
    const read = async (args: object) => textOf(await runTool(readTool, args, context));
    expect(await read({ path: "a.ipynb" })).toBe(
      [
        "[Notebook with 3 cells. edit and write change its JSON, which bash shows.]\n",
        "[Cell 1: markdown]\n# Title\nText\n",
        "[Cell 2: code, run 3]\nplot()\n[Output of cell 2]\none\ntwo\n[Image: image/png]\n<Figure>\nKeyError: x\n",
        "[Cell 3: code]\n",
      ].join("\n"),
    );
    expect(await read({ path: "a.ipynb", offset: 3, limit: 1, lineNumbers: true })).toMatch(
      /^\[Cell 1: markdown\]\n\n\[\d+ more lines in file\. Use offset=4 to continue\.\]$/,
    );
    const long = { output_type: "stream", text: "o".repeat(100_000) };
    const cells = [{ cell_type: "code", source: "x", outputs: [long] }];
    await writeFile(join(folder, "c.ipynb"), JSON.stringify({ nbformat: 4, cells }));
    expect(await read({ path: "c.ipynb" })).toMatch(/oo… \(92000 more characters\)$/);
    expect(await read({ path: "b.ipynb" })).toBe('1\t{"cells": 1}');
  });

  it("gives the images among the shown lines of a notebook to the model, and leaves out colors", async () => {
    const folder = await temporaryFolder();
    const picture = (side: number) => png(side, side).toString("base64");
    const shown = (side: number) => ({
      "image/png": picture(side).replace(/(.{10})/g, "$1\n"),
      "text/plain": "<Figure>",
    });
    const outputs = [
      { output_type: "stream", name: "stdout", text: "\u001b[32mgreen\u001b[0m\n\nlines" },
      { output_type: "display_data", data: { "image/svg+xml": "<svg/>", ...shown(3) } },
      { output_type: "execute_result", data: shown(5) },
    ];
    const cells = [{ cell_type: "code", source: ["plot()\n", "[Image: image/png]"], outputs }];
    await writeFile(join(folder, "a.ipynb"), JSON.stringify({ nbformat: 4, cells }));
    const read = (args: object) => runTool(readTool, { path: "a.ipynb", ...args }, toolContext(folder));
    const image = (side: number) => ({ type: "image", mimeType: "image/png", data: picture(side) });
    const whole = await read({});
    expect(whole.content.slice(1)).toEqual([image(3), image(5)]);
    expect(textOf(whole)).toContain(
      "\ngreen\n\nlines\n[Image: image/svg+xml]\n[Image: image/png]\n<Figure>\n[Image: image/png]",
    );
    const lines = textOf(whole).split("\n");
    expect((await read({ limit: 5 })).content).toHaveLength(1);
    expect((await read({ offset: lines.lastIndexOf("[Image: image/png]") + 1 })).content.slice(1)).toEqual([image(5)]);
  });

  it("names the next offset after 2000 lines", async () => {
    const output = await readContent(numbered(2500));
    expect(textOf(output)).toMatch(
      /^line 1\n[\s\S]*\nline 2000\n\n\[Showing lines 1-2000 of 2500\. Use offset=2001 to continue\.\]$/,
    );
    expect(output.details).toEqual({
      truncation: {
        truncated: true,
        truncatedBy: "lines",
        totalLines: 2500,
        totalBytes: 23_893,
        outputLines: 2000,
        outputBytes: 18_892,
        lastLinePartial: false,
        firstLineExceedsLimit: false,
        maxLines: 2000,
        maxBytes: 51_200,
      },
    });
  });

  it("names the size limit and continues at the next whole line", async () => {
    const output = await readContent(`${"ä".repeat(511)}x\n`.repeat(200), { offset: 11 });
    expect(textOf(output)).toMatch(
      /\n\n\[Showing lines 11-60 of 200 \(50\.0KB limit\)\. Use offset=61 to continue\.\]$/,
    );
    expect(output.details).toMatchObject({ truncation: { totalLines: 190, totalBytes: 194_560, outputLines: 50 } });
  });

  it("says how many lines remain after a limit", async () => {
    expect(textOf(await readContent(numbered(10), { offset: 3, limit: 2 }))).toBe(
      "line 3\nline 4\n\n[6 more lines in file. Use offset=5 to continue.]",
    );
  });

  it("adds nothing when the limit ends at the last line", async () => {
    expect(textOf(await readContent("a\nb\nc", { offset: 2, limit: 2 }))).toBe("b\nc");
  });

  it("points to bash when the first line is too long", async () => {
    const output = await readContent(`short\n${"x".repeat(60_000)}\n`, { offset: 2 });
    expect(textOf(output)).toBe("[Line 2 is 58.6KB, exceeds 50.0KB limit. Use bash: sed -n '2p' file | head -c 51200]");
    expect(output.details).toMatchObject({ truncation: { firstLineExceedsLimit: true, outputLines: 0 } });
  });

  it("refuses an offset past the end", async () => {
    await expect(readContent("a\nb\n", { offset: 3 })).rejects.toThrow(
      "Offset 3 is beyond end of file (2 lines total)",
    );
  });

  it("reports an empty file", async () => {
    expect(textOf(await readContent(""))).toBe("(empty file)");
  });

  it("returns an image by its content, whatever its name", async () => {
    const dot = png(1, 1);
    expect(await readContent(dot)).toEqual({
      content: [
        { type: "text", text: "Read image file [image/png]" },
        { type: "image", data: dot.toString("base64"), mimeType: "image/png" },
      ],
    });
  });

  it("scales an image that is larger than models accept, and says by how much", async () => {
    const output = await readContent(png(4000, 30));
    expect(textOf(output)).toMatch(
      /^Read image file \[image\/png\]\n\n\[Image: scaled from 4000x30 to 2000x15 pixels\./,
    );
    expect(output.content[1]).toMatchObject({ type: "image", mimeType: "image/png" });
  });

  it("says that an image of a format that models cannot see has to be converted", async () => {
    const heic = Buffer.from("00000018667479706865696300000000", "hex");
    expect(textOf(await readContent(heic))).toBe(
      "Read image file [image/heic]\n\n[Image left out: models don't support the format HEIC. Convert it to PNG or JPEG first.]",
    );
  });

  it("describes a binary file instead of printing it", async () => {
    expect(textOf(await readContent(Buffer.from([1, 0, 2, 0])))).toBe(
      "[Binary file, 4B, not shown. Use bash to look into it, such as: xxd file | head]",
    );
  });

  it("identifies UTF-16 text", async () => {
    expect(textOf(await readContent(Buffer.from("\ufeffhi", "utf16le")))).toBe(
      "[UTF-16 text file, 6B. Use bash: iconv -f UTF-16 -t UTF-8 file]",
    );
  });

  it("fails on a missing file and on a folder", async () => {
    const folder = await temporaryFolder();
    const context = toolContext(folder);
    await expect(runTool(readTool, { path: "none" }, context)).rejects.toThrow("ENOENT: no such file or directory, ");
    await expect(runTool(readTool, { path: "." }, context)).rejects.toThrow(
      "EISDIR: illegal operation on a directory, ",
    );
  });

  it("finds files by @, by ~ and by a name with another kind of space", async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, "@types"));
    await writeFile(join(folder, "two words"), "spaces");
    await writeFile(join(folder, "@types", "a"), "scope");
    const paths = ["@two words", "two\u202fwords", "@types/a"];
    const texts = await Promise.all(paths.map((path) => runTool(readTool, { path }, toolContext(folder)).then(textOf)));
    expect(texts).toEqual(["spaces", "spaces", "scope"]);
    await expect(runTool(readTool, { path: "~" }, toolContext(folder))).rejects.toThrow("EISDIR");
  });

  it("reads a few lines of a 50 MB file without loading it", async () => {
    const folder = await temporaryFolder();
    const file = await open(join(folder, "large"), "w");
    const block = Buffer.from(`${"y".repeat(99)}\n`.repeat(10_000));
    for (let part = 0; part < 50; part++) await file.write(block);
    await file.close();
    const before = process.memoryUsage().rss;
    const output = await runTool(readTool, { path: "large", offset: 400_000, limit: 1 }, toolContext(folder));
    expect(textOf(output)).toBe(`${"y".repeat(99)}\n\n[100000 more lines in file. Use offset=400001 to continue.]`);
    expect(process.memoryUsage().rss - before).toBeLessThan(25_000_000);
  });
});
