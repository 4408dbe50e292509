import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readPdfFacts } from "../../agent/images/pdf-facts.ts";
import { readTool } from "../../agent/tools/read.ts";
import { pdf, textPdf } from "../support/pdfs.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

async function read(bytes: Buffer, maxPdfPages?: number, pages?: string) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "it's.pdf"), bytes);
  const parts = maxPdfPages === undefined ? {} : { maxPdfPages: () => maxPdfPages };
  return runTool(readTool, { path: "it's.pdf", ...(pages !== undefined && { pages }) }, toolContext(folder, parts));
}

describe("a PDF", () => {
  it("is given to a model that takes it, with its number of pages", async () => {
    const bytes = pdf(3);
    expect(await read(bytes, 100)).toEqual({
      content: [
        { type: "text", text: "Read PDF file [application/pdf], 3 pages" },
        { type: "image", mimeType: "application/pdf", data: bytes.toString("base64") },
      ],
    });
    expect(textOf(await read(pdf(1), 100))).toContain(", 1 page");
  });

  it.each([
    ["is for a model that takes none", pdf(1), undefined],
    ["has more pages than the model takes", pdf(41), 40],
    ["is too large", pdf(1, { padding: 19 * 1024 * 1024 }), 100],
  ])("is read for its text when it %s", async (_, bytes, limit) => {
    const output = await read(bytes, limit);
    expect(output.content).toHaveLength(1);
    expect(textOf(output)).toContain(
      "[No text: the pages may be scanned. Use bash to make images of them: pdftoppm -r 80",
    );
  });

  it("shows the text of its pages to a model that takes none", async () => {
    expect(textOf(await read(textPdf(["First line\nsecond \\(line\\)", "Page two"])))).toBe(
      "Read PDF file [application/pdf], the text of pages 1-2 of 2\n\n--- Page 1 ---\nFirst line\nsecond (line)\n\n--- Page 2 ---\nPage two",
    );
  });

  it.each([
    ["2", "the text of page 2 of 4\n\n--- Page 2 ---\nb"],
    ["2-3", "the text of pages 2-3 of 4\n\n--- Page 2 ---\nb\n\n--- Page 3 ---\nc"],
    ["3-", "the text of pages 3-4 of 4\n\n--- Page 3 ---\nc\n\n--- Page 4 ---\nd"],
    [" 4 - 9 ", "the text of page 4 of 4\n\n--- Page 4 ---\nd"],
  ])("shows the text of the pages %s, also to a model that takes PDFs", async (pages, words) => {
    const output = await read(textPdf(["a", "b", "c", "d"]), 100, pages);
    expect(textOf(output)).toBe(`Read PDF file [application/pdf], ${words}`);
  });

  it.each([
    ["5", "Page 5 is beyond the end of the PDF (4 pages)."],
    ["0", 'pages "0" must be a page or a range of pages, such as 3 or 3-5.'],
    ["3-2", "such as 3 or 3-5."],
    ["all", "such as 3 or 3-5."],
  ])("has no pages %s", async (pages, words) => {
    await expect(read(textPdf(["a", "b", "c", "d"]), 0, pages)).rejects.toThrow(words);
  });

  it("shows as many pages as a result may have, and says how to go on", async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `line ${at} of a page that is full of words to read`).join(
      "\n",
    );
    const text = textOf(await read(textPdf(Array.from({ length: 40 }, () => lines))));
    expect(text).toMatch(/the text of pages 1-\d+ of 40\n/);
    expect(Buffer.byteLength(text)).toBeLessThan(51_200);
    const next = /\[Use pages="(\d+)-40" for more\.\]$/.exec(text)?.[1];
    expect(text).toContain(`--- Page ${Number(next) - 1} ---`);
    expect(text).not.toContain(`--- Page ${next} ---`);
  });

  it("that needs a password is not shown, and the result says so", async () => {
    for (const limit of [0, 100]) {
      expect(textOf(await read(pdf(1, { isEncrypted: true }), limit))).toContain(
        "it is encrypted. Ask the user for a copy",
      );
    }
  });

  it("that can't be read names a command for the shell", async () => {
    expect(textOf(await read(Buffer.from("%PDF-1.7\nnonsense"), 0))).toContain(
      "its text can't be read. Use bash for the text of some pages: pdftotext -f 1 -l 10 -layout 'it'\\''s.pdf' -]",
    );
  });

  it("has its pages counted, also in compressed streams and in damaged ones", () => {
    expect(readPdfFacts(pdf(12, { isCompressed: true }))).toEqual({ pages: 12, isEncrypted: false });
    const damaged = Buffer.from("%PDF-1.7\n1 0 obj << /Type /ObjStm >>\nstream\nnonsense\nendstream\nendobj\n%%EOF");
    expect(readPdfFacts(damaged)).toEqual({ pages: undefined, isEncrypted: false });
  });

  it("that was made to fill the memory has no text", async () => {
    const [head = "", tail = ""] = textPdf([""])
      .toString("latin1")
      .replace("/Contents 4 0 R", "/Contents [4 0 R]") // streams of a list are decompressed as a whole
      .split(/<< \/Length \d+ >>\nstream\n[\s\S]*?\nendstream/);
    const bomb = Buffer.alloc(2 * 1_200_000, Buffer.from([129, 32])); // 128 spaces each
    const stream = `<< /Length ${bomb.length} /Filter /RunLengthDecode >>\nstream\n`;
    const bytes = [Buffer.from(`${head}${stream}`), bomb, Buffer.from(`\nendstream${tail}`)];
    expect(textOf(await read(Buffer.concat(bytes)))).toContain("its text can't be read");
  });

  it("has its pages counted fast, however many streams have no end", () => {
    const stream = Buffer.concat([Buffer.from("/ObjStm stream\n"), deflateSync("x")]);
    const streams = Array.from({ length: 2_000 }, () => stream);
    const bytes = Buffer.concat([Buffer.from("%PDF-1.7\n"), ...streams, Buffer.alloc(10_000_000, "e")]);
    const end = Buffer.from("endstream");
    const begunAt = performance.now();
    readPdfFacts(Buffer.concat([bytes, end]));
    expect(performance.now() - begunAt).toBeLessThan(4000);
  });

  it("has no pages counted if it was made to take long", () => {
    const stream = "/Type /ObjStm >>\nstream\nx\nendstream\nendobj\n";
    const crowded = Buffer.from(`%PDF-1.7\n/Type /Page\n${stream.repeat(3_000)}`);
    expect(readPdfFacts(crowded).pages).toBeUndefined();
    const bomb = deflateSync(Buffer.alloc(16 * 1024 * 1024));
    const part = Buffer.concat([Buffer.from("/Type /ObjStm >>\nstream\n"), bomb, Buffer.from("\nendstream\nendobj\n")]);
    const many = Buffer.concat([Buffer.from("%PDF-1.7\n/Type /Page\n"), ...Array.from({ length: 8 }, () => part)]);
    expect(readPdfFacts(many).pages).toBeUndefined();
  });

  it("is named in the command as the shell finds it, however it was asked for", async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "a.pdf"), pdf(1));
    const output = await runTool(readTool, { path: "'a.pdf'" }, toolContext(folder));
    expect(textOf(output)).toContain("pdftoppm -r 80 -png -f 1 -l 1 'a.pdf' page]");
  });
});
