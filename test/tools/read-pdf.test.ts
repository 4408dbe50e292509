import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { readPdfFacts } from "../../agent/images/pdf-facts.ts";
import { readTool } from "../../agent/tools/read.ts";
import { pdf } from "../support/pdfs.ts";
import { runTool, temporaryFolder, textOf, toolContext } from "../support/run-tool.ts";

async function read(bytes: Buffer, maxPdfPages?: number) {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "it's.pdf"), bytes);
  const parts = maxPdfPages === undefined ? {} : { maxPdfPages: () => maxPdfPages };
  return runTool(readTool, { path: "it's.pdf" }, toolContext(folder, parts));
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
    ["is for a model that takes none", pdf(1), undefined, "the model takes no PDFs. Use bash"],
    ["has more pages than the model takes", pdf(41), 40, "PDF of 41 pages, not shown: the model takes at most 40."],
    ["is too large", pdf(1, { padding: 19 * 1024 * 1024 }), 100, "not shown: the limit is 18.0MB."],
    ["needs a password", pdf(1, { isEncrypted: true }), 100, "it is encrypted. Ask the user for a copy"],
  ])("isn't shown when it %s, and the result says what to do", async (_, bytes, limit, words) => {
    const output = await read(bytes, limit);
    expect(output.content).toHaveLength(1);
    expect(textOf(output)).toContain(words);
  });

  it("names a command for the shell that reads some pages", async () => {
    expect(textOf(await read(pdf(1), 0))).toContain("pdftotext -f 1 -l 10 -layout 'it'\\''s.pdf' -]");
  });

  it("has its pages counted, also in compressed streams and in damaged ones", () => {
    expect(readPdfFacts(pdf(12, { isCompressed: true }))).toEqual({ pages: 12, isEncrypted: false });
    const damaged = Buffer.from("%PDF-1.7\n1 0 obj << /Type /ObjStm >>\nstream\nnonsense\nendstream\nendobj\n%%EOF");
    expect(readPdfFacts(damaged)).toEqual({ pages: undefined, isEncrypted: false });
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
    expect(textOf(output)).toContain("-layout 'a.pdf' -]");
  });
});
