import * as z from "zod";

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
const Notebook = z.looseObject({ nbformat: z.literal(4), cells: z.array(Cell) });

/** More of an output is left out, in UTF-16 units: a table or a log would hide the cells after it. */
const MAX_OUTPUT_LENGTH = 8000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences that color a traceback
const COLORS = /\u001b\[[0-9;]*m/g;
const MIME_IMAGE = /^image\//;

/** True for the path of a notebook. */
export function isNotebookPath(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/**
 * Returns the cells of a notebook as text: their sources, and their outputs, in which a note stands for each image.
 * @returns undefined for a text that is no notebook of format 4.
 */
export function notebookText(json: string): string | undefined {
  const { data } = Notebook.safeParse(parseJson(json));
  if (data === undefined) return undefined;
  const { length } = data.cells;
  const count = length === 1 ? "1 cell" : `${length} cells`;
  return [
    `[Notebook with ${count}. edit and write change its JSON, which bash shows.]`,
    ...data.cells.map(cellText),
  ].join("\n\n");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined; // it is shown as the text that it is
  }
}

function cellText(cell: Cell, index: number): string {
  const run = typeof cell.execution_count === "number" ? `, run ${cell.execution_count}` : "";
  const outputs = (cell.outputs ?? [])
    .map(outputText)
    .map(beginningOf)
    .filter((text) => text !== "");
  const shown = outputs.length === 0 ? [] : [`[Output of cell ${index + 1}]`, ...outputs];
  return [`[Cell ${index + 1}: ${cell.cell_type}${run}]`, joined(cell.source), ...shown].join("\n");
}

function outputText({ text, data, ename, evalue, traceback }: Output): string {
  if (ename !== undefined) {
    return traceback === undefined || traceback.length === 0
      ? `${ename}: ${evalue ?? ""}`
      : traceback.join("\n").replace(COLORS, "");
  }
  if (text !== undefined) return joined(text).trimEnd();
  const images = Object.keys(data ?? {}).filter((type) => MIME_IMAGE.test(type));
  const plain = Text.safeParse(data?.["text/plain"] ?? data?.["text/markdown"] ?? data?.["text/html"]).data;
  return [...images.map((type) => `[Image: ${type}]`), ...(plain === undefined ? [] : [joined(plain).trimEnd()])].join(
    "\n",
  );
}

function beginningOf(text: string): string {
  const more = text.length - MAX_OUTPUT_LENGTH;
  return more > 0 ? `${text.slice(0, MAX_OUTPUT_LENGTH)}… (${more} more characters)` : text;
}

function joined(text: z.infer<typeof Text>): string {
  return typeof text === "string" ? text : text.join("");
}
