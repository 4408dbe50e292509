import { relative } from "node:path";
import type { PdfText } from "../images/pdf-job.ts";
import type { ImageContent } from "../protocol/content.ts";
import { notePdfPages, PDF_TYPE } from "../util/pdf.ts";
import { characterStart, formatSize, MAX_BYTES } from "../util/truncate.ts";
import type { ReadableFile } from "./readable-file.ts";
import { type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

/**
 * The maximum size of a PDF that is sent whole, in bytes. Services accept requests of 32 MB; base64 adds a third, and the conversation needs room.
 */
export const MAX_PDF_BYTES = 18 * 1024 * 1024;
/** The maximum size of a PDF whose text is read. */
const MAX_TEXT_BYTES = 100 * 1024 * 1024;
/** The maximum text of pages, in UTF-8 bytes. The limit for tool output leaves room for their headings. */
const MAX_PAGE_BYTES = Math.floor(MAX_BYTES * 0.9);
const HEADING = `Read PDF file [${PDF_TYPE}]`;
const RANGE = /^\s*(\d{1,6})\s*(?:(-)\s*(\d{1,6})?)?\s*$/;

type PdfFile = Pick<ReadableFile, "path" | "sizeBytes" | "readAll">;

/** A range of 1-based pages; without `last`, up to the end. */
interface PageRange {
  first: number;
  last: number | undefined;
}

/**
 * Returns a PDF for models that accept it, otherwise its text. @param pages the pages whose text is requested, such as `3-5`; undefined for the whole
 * file.
 */
export async function readPdf(file: PdfFile, context: ToolContext, pages?: string): Promise<ToolOutput> {
  const maxPages = context.maxPdfPages?.() ?? 0;
  if (pages !== undefined || maxPages === 0 || file.sizeBytes > MAX_PDF_BYTES) {
    return readText(file, rangeOf(pages), context);
  }
  const bytes = await file.readAll();
  const { readPdfFacts } = await import("../images/pdf-facts.ts");
  const { pages: count, isEncrypted } = readPdfFacts(bytes);
  if (isEncrypted || (count !== undefined && count > maxPages)) return readText(file, rangeOf(pages), context);
  const pdf: ImageContent = { type: "image", data: bytes.toString("base64"), mimeType: PDF_TYPE };
  if (count !== undefined) notePdfPages(pdf, count);
  const words = count === undefined ? "" : count === 1 ? ", 1 page" : `, ${count} pages`;
  return { content: [{ type: "text", text: `${HEADING}${words}` }, pdf] };
}

/** @throws Error if the text isn't a range of pages. */
function rangeOf(pages: string | undefined): PageRange {
  if (pages === undefined) return { first: 1, last: undefined };
  const [, from, dash, to] = RANGE.exec(pages) ?? [];
  const first = Number(from ?? 0);
  const last = dash === undefined ? first : to === undefined ? undefined : Number(to);
  if (first < 1 || (last !== undefined && last < first)) {
    throw new Error(`pages "${pages}" must be a page or a range of pages, such as 3 or 3-5.`);
  }
  return { first, last };
}

async function readText(file: PdfFile, { first, last }: PageRange, context: ToolContext): Promise<ToolOutput> {
  const size = formatSize(file.sizeBytes);
  const place = { path: pathInShell(file, context), first };
  if (file.sizeBytes > MAX_TEXT_BYTES) {
    return withCommand(`PDF of ${size}, not shown: the limit is ${formatSize(MAX_TEXT_BYTES)}`, place);
  }
  const { readPdfText } = await import("../images/pdf-text.ts");
  const job = { bytes: await file.readAll(), firstPage: first, lastPage: last, maxBytes: MAX_PAGE_BYTES };
  const found = await readPdfText(job, context.signal);
  if (context.signal.aborted) throw new Error("Operation aborted");
  if (found === undefined) return withCommand(`PDF of ${size}, not shown: its text can't be read`, place);
  if (found.isLocked) {
    return textOutput(
      `${HEADING}\n\n[PDF of ${size}, not shown: it is encrypted. Ask the user for a copy without a password.]`,
    );
  }
  if (first > found.pageCount)
    throw new Error(`Page ${first} is beyond the end of the PDF (${found.pageCount} pages).`);
  return showText(found, { ...place, last: last ?? found.pageCount });
}

interface Place {
  /** The path relative to the working directory, or the address of a PDF on the web. */
  path: string;
  first: number;
}

function pathInShell({ path }: PdfFile, { cwd }: ToolContext): string {
  if (isAddress(path)) return path;
  const below = relative(cwd, path);
  return below.startsWith("..") ? path : below;
}

function isAddress(path: string): boolean {
  return /^https?:\/\//.test(path);
}

function showText(
  { pageCount, pages }: Extract<PdfText, { isLocked: false }>,
  { path, first, last }: Place & { last: number },
): ToolOutput {
  const end = first + pages.length - 1;
  const shown = first === end ? `page ${first}` : `pages ${first}-${end}`;
  const heading = `${HEADING}, the text of ${shown} of ${pageCount}`;
  if (pages.every((text) => text === "")) {
    const command = commandFor(path, (file) => `pdftoppm -r 80 -png -f ${first} -l ${end} ${file} page`);
    return textOutput(`${heading}\n\n[No text: the pages may be scanned. Use bash to make images of them: ${command}]`);
  }
  const text = pages.map((page, at) => `--- Page ${first + at} ---\n${clip(page)}`).join("\n\n");
  const more =
    end < Math.min(last, pageCount) ? `\n\n[Use pages="${end + 1}-${Math.min(last, pageCount)}" for more.]` : "";
  return textOutput(`${heading}\n\n${text}${more}`);
}

function clip(page: string): string {
  const bytes = Buffer.from(page);
  if (bytes.length <= MAX_PAGE_BYTES) return page;
  const start = bytes.toString("utf8", 0, characterStart(bytes, MAX_PAGE_BYTES));
  return `${start}… (${page.length - start.length} more characters)`;
}

function withCommand(reason: string, { path, first }: Place): ToolOutput {
  const command = commandFor(path, (file) => `pdftotext -f ${first} -l ${first + 9} -layout ${file} -`);
  return textOutput(`${HEADING}\n\n[${reason}. Use bash for the text of some pages: ${command}]`);
}

/** Returns a shell command, which first downloads a PDF on the web. */
function commandFor(path: string, command: (file: string) => string): string {
  if (!isAddress(path)) return command(quoted(path));
  return `file=$(mktemp) && curl -fsSL --max-redirs 0 -o "$file" ${quoted(path)} && ${command('"$file"')}`;
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`;
}
