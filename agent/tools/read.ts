import * as z from "zod";
import type { ImageContent } from "../protocol/content.ts";
import { characterStart, formatSize, MAX_BYTES, MAX_LINES, type Truncation, truncateHead } from "../util/truncate.ts";
import { BUILTIN_PATHS } from "./builtin-paths.ts";
import { type LineWindow, lineWindowOf } from "./line-window.ts";
import { isNotebookPath, type NotebookText, notebookText } from "./notebook.ts";
import { readPdf } from "./read-pdf.ts";
import { type OpenFile, openLocalFile, type ReadableFile, type ShownLines } from "./readable-file.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

/** A larger file is hardly an image for people to look at, and decoding takes many times its bytes. */
const MAX_IMAGE_BYTES = 100 * 1024 * 1024;

/** A larger notebook is shown as the JSON that it is. */
const MAX_NOTEBOOK_BYTES = 100 * 1024 * 1024;

/** The maximum number of a notebook's images in one result. Each costs about as much as a page of text. */
const MAX_NOTEBOOK_IMAGES = 8;

/** The longest UTF-8 character: kept beyond the limit, since the cut may fall inside one. */
const UTF8_MAX_BYTES = 4;

const ReadInput = z.object({
  path: z.string().min(1).describe("File to read, relative or absolute"),
  offset: z.int().min(0).optional().describe("First line to read; lines count from 1"),
  limit: z.int().min(1).optional().describe("Number of lines to read"),
  pages: z.string().min(1).optional().describe("Pages of a PDF to read as text, such as 3-5"),
  lineNumbers: z.boolean().optional().describe("Put its number and a tab before each line"),
});
type ReadInput = z.output<typeof ReadInput>;

/** Makes the tool that shows lines of a text file, an image, a PDF, or the cells of a notebook. @param open where the files are. */
export function readToolOver(open: OpenFile): AnyTool {
  return defineTool({
    name: "read",
    description:
      "Reads a text file, an image (PNG, JPEG, GIF, WebP), a PDF, or the cells of a notebook (.ipynb). Returns at most 2000 lines or 50KB of text; read the rest with offset and limit.",
    input: ReadInput,
    concurrency: "shared",
    isReadOnly: true,
    paths: BUILTIN_PATHS.read,
    promptSnippet: "Read files",
    promptGuidelines: ["Use read, not cat or sed, to look at files."],
    summarize: ({ path }) => path,
    run: (input, context) => runRead(open, input, context),
  });
}

/** Shows lines of a text file of this machine, or an image. */
export const readTool = readToolOver(openLocalFile);

async function runRead(open: OpenFile, input: ReadInput, context: ToolContext): Promise<ToolOutput> {
  if (context.signal.aborted) throw new Error("Operation aborted");
  const file = await open(context.cwd, input.path);
  if (file.stamp !== undefined) context.seenFiles?.noteRead(file.path, file.stamp);
  const size = formatSize(file.sizeBytes);
  switch (file.kind.kind) {
    case "image":
      return readImage(file, file.kind.mimeType);
    case "pdf":
      return readPdf(file, context, input.pages);
    case "utf16":
      return textOutput(`[UTF-16 text file, ${size}. Use bash: iconv -f UTF-16 -t UTF-8 ${input.path}]`);
    case "binary":
      return textOutput(
        `[Binary file, ${size}, not shown. Use bash to look into it, such as: xxd ${input.path} | head]`,
      );
    case "text":
      return (await readNotebook(file, input, context)) ?? readText(file, input, context);
  }
}

async function readImage(file: ReadableFile, mimeType: string): Promise<ToolOutput> {
  const text = `Read image file [${mimeType}]`;
  if (file.sizeBytes > MAX_IMAGE_BYTES) {
    const limit = formatSize(MAX_IMAGE_BYTES);
    return textOutput(
      `${text}\n\n[Image is ${formatSize(file.sizeBytes)}, not shown: the limit is ${limit}. Scale it down with bash first.]`,
    );
  }
  const data = (await file.readAll()).toString("base64");
  const { fitImage } = await import("../images/fit-image.ts");
  const { image, note } = await fitImage({ type: "image", data, mimeType });
  const words = note === undefined ? text : `${text}\n\n${note.text}`;
  return { content: [{ type: "text", text: words }, ...(image === undefined ? [] : [image])] };
}

/** Shows a notebook like a text file that has its cells. @returns undefined if the file is no notebook. */
async function readNotebook(file: ReadableFile, input: ReadInput, context: ToolContext) {
  if (!isNotebookPath(file.path) || file.sizeBytes > MAX_NOTEBOOK_BYTES) return undefined;
  const notebook = notebookText((await file.readAll()).toString("utf8"));
  if (notebook === undefined) return undefined;
  const bytes = Buffer.from(notebook.text);
  let seen: ShownLines | undefined;
  const shown = (lines: ShownLines) => {
    seen = lines;
  };
  const cells: ReadableFile = { ...file, readLines: async (options) => lineWindowOf(bytes, options), shown };
  const output = await readText(cells, { ...input, lineNumbers: false }, context);
  const images = await imagesOf(notebook, seen);
  return { ...output, content: [...output.content, ...images] };
}

/** Returns the images whose notes are among the shown lines, converted for models. */
async function imagesOf({ images }: NotebookText, shown: ShownLines | undefined): Promise<ImageContent[]> {
  if (shown === undefined) return [];
  const wanted = images.filter(({ line }) => line >= shown.first && line <= shown.last).slice(0, MAX_NOTEBOOK_IMAGES);
  if (wanted.length === 0) return [];
  const { fitImage } = await import("../images/fit-image.ts");
  const fitted = await Promise.all(wanted.map(({ image }) => fitImage(image)));
  return fitted.flatMap(({ image }) => image ?? []);
}

async function readText(file: ReadableFile, input: ReadInput, context: ToolContext): Promise<ToolOutput> {
  const { signal, numbersLines } = context;
  const firstLine = Math.max(1, input.offset ?? 1);
  const lineCount = input.limit ?? Number.POSITIVE_INFINITY;
  const window = await file.readLines({ firstLine, lineCount, maxBytes: MAX_BYTES + UTF8_MAX_BYTES, signal });
  if (window.totalLines === 0 && firstLine === 1) return textOutput("(empty file)");
  if (firstLine > window.totalLines) {
    throw new Error(`Offset ${firstLine} is beyond end of file (${window.totalLines} lines total)`);
  }
  if (window.firstLineBytes > MAX_BYTES) return firstLineTooLong(window, input.path, firstLine);
  const { content: text, truncation } = truncateHead(decode(window));
  const content = (input.lineNumbers ?? numbersLines?.() ?? false) ? withNumbers(text, firstLine) : text;
  const lastLine = firstLine + truncation.outputLines - 1;
  file.shown?.({ first: firstLine, last: lastLine, total: window.totalLines });
  if (truncation.truncated) {
    const limit = truncation.truncatedBy === "bytes" ? ` (${formatSize(MAX_BYTES)} limit)` : "";
    const notice = `[Showing lines ${firstLine}-${lastLine} of ${window.totalLines}${limit}. Use offset=${lastLine + 1} to continue.]`;
    return textOutput(`${content}\n\n${notice}`, { truncation: windowFacts(truncation, window) });
  }
  const left = window.totalLines - lastLine;
  if (left === 0) return textOutput(content);
  const body = content.endsWith("\n") ? content.slice(0, -1) : content;
  return textOutput(`${body}\n\n[${left} more lines in file. Use offset=${lastLine + 1} to continue.]`);
}

function withNumbers(text: string, firstLine: number): string {
  const hasFeed = text.endsWith("\n");
  const lines = (hasFeed ? text.slice(0, -1) : text).split("\n");
  return lines.map((line, index) => `${firstLine + index}\t${line}`).join("\n") + (hasFeed ? "\n" : "");
}

function firstLineTooLong(window: LineWindow, path: string, line: number): ToolOutput {
  const limit = formatSize(MAX_BYTES);
  const text = `[Line ${line} is ${formatSize(window.firstLineBytes)}, exceeds ${limit} limit. Use bash: sed -n '${line}p' ${path} | head -c ${MAX_BYTES}]`;
  const truncation: Truncation = {
    truncated: true,
    truncatedBy: "bytes",
    totalLines: window.windowLines,
    totalBytes: window.windowBytes,
    outputLines: 0,
    outputBytes: 0,
    lastLinePartial: false,
    firstLineExceedsLimit: true,
    maxLines: MAX_LINES,
    maxBytes: MAX_BYTES,
  };
  return textOutput(text, { truncation });
}

function decode(window: LineWindow): string {
  const { bytes } = window;
  const end = window.isComplete ? bytes.length : lastCharacterEnd(bytes);
  return bytes.toString("utf8", 0, end);
}

/** Returns the start of the last, possibly incomplete character; the kept text is beyond the limit anyway. */
function lastCharacterEnd(bytes: Buffer): number {
  const from = Math.max(0, bytes.length - UTF8_MAX_BYTES);
  return characterStart(bytes, from);
}

function windowFacts(truncation: Truncation, window: LineWindow): Truncation {
  return { ...truncation, totalLines: window.windowLines, totalBytes: window.windowBytes };
}
