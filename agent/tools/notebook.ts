import * as z from "zod";
import type { ImageContent } from "../protocol/content.ts";
import { countLines } from "../util/truncate.ts";

/** A text, or its lines. */
const Text = z.union([z.string(), z.array(z.string())]);

const Output = z.looseObject({
  output_type: z.string(),
  text: Text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});
type Output = z.infer<typeof Output>;

const Cell = z.looseObject({
  cell_type: z.string(),
  source: Text,
  execution_count: z.number().nullish(),
  outputs: z.array(Output).optional(),
});
type Cell = z.infer<typeof Cell>;

/** Format 4 of Jupyter notebooks; https://nbformat.readthedocs.io/en/latest/format_description.html */
const NBFORMAT = 4;
const Notebook = z.looseObject({ nbformat: z.literal(NBFORMAT), cells: z.array(Cell) });

/** More of an output is left out, in UTF-16 units: a table or a log would hide the cells after it. */
const MAX_OUTPUT_LENGTH = 8000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences that color output
const COLORS = /\u001b\[[0-9;]*m/g;
const MIME_IMAGE = /^image\//;
/** The types of raster images. Models accept no others. */
const DOTS = /^image\/(?:png|jpeg|gif|webp|bmp)$/;

/** True for the path of a notebook. */
export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/** The cells of a notebook as text. */
export interface NotebookText {
  text: string;
  /** The images of outputs, each with the 1-based line of the note that stands for it. */
  images: readonly { line: number; image: ImageContent }[];
}

/**
 * Returns the cells of a notebook as text: their sources, and their outputs, in which a note stands for each image.
 * @returns undefined for a text that is no notebook of format 4.
 */
export function notebookText(json: string): NotebookText | undefined {
  const { data } = Notebook.safeParse(parseJson(json));
  if (data === undefined) return undefined;
  const { length } = data.cells;
  const count = length === 1 ? "1 cell" : `${length} cells`;
  const head: Part = {
    text: `[Notebook with ${count}. edit and write change its JSON, which bash shows.]`,
    images: [],
  };
  const blocks = [[head], ...data.cells.map(cellParts)];
  const images: { line: number; image: ImageContent }[] = [];
  let line = 1;
  for (const parts of blocks) {
    for (const part of parts) {
      for (const [at, image] of part.images.entries()) if (image !== undefined) images.push({ line: line + at, image });
      line += countLines(`${part.text}\n`);
    }
    line += 1;
  }
  return { text: blocks.map((parts) => parts.map(({ text }) => text).join("\n")).join("\n\n"), images };
}

/**
 * Refuses a change that would break a notebook. It is easy to write a cell's lines without the quotes and escapes of its JSON.
 * @param before the edited text. A notebook that is already broken may be repaired in steps. Without it, the whole file is written anew.
 * @throws Error with a text for the model when the notebook would no longer be JSON, or lose its cells.
 */
export function requireNotebook(path: string, shownPath: string, texts: { before?: string; after: string }): void {
  const { before, after } = texts;
  if (!isNotebookPath(path) || after.trim() === "") return;
  const json = parseJson(after);
  if (before === undefined ? isNotebook(json) || isOlder(json) : staysNotebook(parseJson(before), json)) return;
  const reason = json === undefined ? "the text isn't JSON" : "the text has no list of valid cells";
  throw new Error(
    `${shownPath} would no longer be a notebook, so nothing was written: ${reason}. In the JSON, each line of a cell is a string with \\n at its end.`,
  );
}

function staysNotebook(was: unknown, json: unknown): boolean {
  return json === undefined ? was === undefined : isNotebook(json) || !isNotebook(was);
}

/** True for a notebook of a format before 4, which has no cells at its top. */
function isOlder(json: unknown): boolean {
  const format = z.looseObject({ nbformat: z.number() }).safeParse(json).data?.nbformat;
  return format !== undefined && format < NBFORMAT;
}

function isNotebook(json: unknown): boolean {
  return Notebook.safeParse(json).success;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined; // it is shown as the text that it is
  }
}

/** A part of a cell, in whole lines. */
interface Part {
  text: string;
  /** The image that each of the first lines stands for; undefined for an image that isn't shown. */
  images: readonly (ImageContent | undefined)[];
}

function cellParts(cell: Cell, index: number): Part[] {
  const run = typeof cell.execution_count === "number" ? `, run ${cell.execution_count}` : "";
  const outputs = (cell.outputs ?? []).map(outputPart).filter(({ text }) => text !== "");
  const heading = outputs.length === 0 ? [] : [plain(`[Output of cell ${index + 1}]`)];
  return [plain(`[Cell ${index + 1}: ${cell.cell_type}${run}]`), plain(joined(cell.source)), ...heading, ...outputs];
}

function plain(text: string): Part {
  return { text, images: [] };
}

function outputPart(output: Output): Part {
  const { text, data = {}, ename, evalue, traceback } = output;
  if (ename !== undefined) {
    const hasTrace = traceback !== undefined && traceback.length > 0;
    return plain(beginningOf(withoutColors(hasTrace ? traceback.join("\n") : `${ename}: ${evalue ?? ""}`)));
  }
  if (text !== undefined) return plain(beginningOf(withoutColors(joined(text).trimEnd())));
  const types = Object.keys(data).filter((type) => MIME_IMAGE.test(type));
  const words = Text.safeParse(data["text/plain"] ?? data["text/markdown"] ?? data["text/html"]).data;
  const lines = types.map((type) => `[Image: ${type}]`);
  const told = words === undefined ? [] : [withoutColors(joined(words).trimEnd())];
  return {
    text: beginningOf([...lines, ...told].join("\n")),
    images: types.map((type) => imageOf(type, data[type])),
  };
}

function imageOf(mimeType: string, data: unknown): ImageContent | undefined {
  const base64 = Text.safeParse(data).data;
  if (base64 === undefined || !DOTS.test(mimeType)) return undefined;
  return { type: "image", mimeType, data: joined(base64).replace(/\s+/g, "") };
}

function withoutColors(text: string): string {
  return text.replace(COLORS, "");
}

function beginningOf(text: string): string {
  const more = text.length - MAX_OUTPUT_LENGTH;
  return more > 0 ? `${text.slice(0, MAX_OUTPUT_LENGTH)}… (${more} more characters)` : text;
}

function joined(text: z.infer<typeof Text>): string {
  return typeof text === "string" ? text : text.join("");
}
