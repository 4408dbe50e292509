import { stripVTControlCharacters } from "node:util";
import { byteLength, keepEnd, keepStart, lineCount, MAX_BYTES } from "./cut-text.ts";
import type { ContextBlock, ContextMeta } from "./prompt-blocks.ts";

/** Most bytes of content that one prompt carries; what comes later is told without its content. */
const MAX_TOTAL_BYTES = 256 * 1024;
/** Most things that one prompt carries. */
const MAX_BLOCKS = 200;
/** More of a terminal is not looked at, in UTF-16 units. */
const MAX_TERMINAL_CHARS = 1024 * 1024;

/** What a block costs. */
export interface BlockSize {
  /** Of the content, in UTF-8. */
  readonly bytes: number;
  readonly lines: number;
}

/** One problem of the editor. `line` and `column` are 1-based. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
  /** Who says so, such as `ts 2304`. */
  readonly source?: string;
}

/**
 * Some lines of a file, or all, as far as the limits allow.
 * @param lines what was asked for; lines beyond the end are left out.
 */
export function fileBlock(file: {
  path: string;
  text: string;
  language?: string;
  lines?: { startLine: number; endLine: number };
}): ContextBlock {
  const totalLines = lineCount(file.text);
  const startLine = Math.max(1, Math.min(file.lines?.startLine ?? 1, totalLines));
  const wanted = takeLines(file.text, startLine, file.lines?.endLine ?? totalLines);
  const kept = keepStart(wanted);
  const endLine = Math.max(startLine, startLine + lineCount(kept.text) - 1);
  const { path, language } = file;
  return {
    meta: {
      kind: "file",
      path,
      startLine,
      endLine,
      totalLines,
      ...(language && { language }),
      ...isCutPart(kept.isCut),
    },
    content: kept.text,
  };
}

/** A part of a document that the editor chose: what is selected, or what a symbol spans. */
export function partBlock(part: {
  path: string;
  startLine: number;
  text: string;
  language?: string;
  /** Set for a symbol. */
  name?: string;
}): ContextBlock {
  const { path, startLine, language, name } = part;
  const kept = keepStart(part.text);
  const endLine = Math.max(startLine, startLine + lineCount(kept.text) - 1);
  const where = { path, startLine, endLine, ...(language && { language }), ...isCutPart(kept.isCut) };
  return {
    meta: name === undefined ? { kind: "selection", ...where } : { kind: "symbol", name, ...where },
    content: kept.text,
  };
}

/** What is in a folder, one name a line. */
export function folderBlock(path: string, names: readonly string[]): ContextBlock {
  const kept = keepStart(names.map(oneLine).join("\n"));
  return { meta: { kind: "folder", path, ...isCutPart(kept.isCut) }, content: kept.text };
}

/** The editor's problems, one a line; `count` tells of all of them. */
export function problemsBlock(problems: readonly Problem[]): ContextBlock {
  const rows = problems.map(({ path, line, column, severity, message, source }) =>
    oneLine(`${path}:${line}:${column}: ${severity}: ${message}${source === undefined ? "" : ` [${source}]`}`),
  );
  const kept = keepStart(rows.join("\n"));
  return { meta: { kind: "problems", count: problems.length, ...isCutPart(kept.isCut) }, content: kept.text };
}

/** The end of what a terminal shows, without the codes for colours and the cursor. */
export function terminalBlock(name: string, output: string): ContextBlock {
  const kept = keepEnd(shownText(output));
  return { meta: { kind: "terminal", name, ...isCutPart(kept.isCut) }, content: kept.text };
}

/** What git says of the changes. */
export function gitBlock(report: string): ContextBlock {
  const kept = keepStart(report);
  return { meta: { kind: "git", ...isCutPart(kept.isCut) }, content: kept.text };
}

/** What a block's content costs. */
export function blockSize({ content }: ContextBlock): BlockSize {
  return { bytes: byteLength(content), lines: lineCount(content) };
}

/** Cuts the content of blocks that no longer fit into one prompt. What is returned is what is sent, so sizes are told of it. */
export function fitBlocks(blocks: readonly ContextBlock[]): ContextBlock[] {
  let room = MAX_TOTAL_BYTES;
  return blocks.slice(0, MAX_BLOCKS).map((block) => {
    const { meta, content } = block;
    const kept =
      meta.kind === "terminal"
        ? keepEnd(content, Math.min(room, MAX_BYTES))
        : keepStart(content, Math.min(room, MAX_BYTES));
    room -= byteLength(kept.text);
    return kept.isCut ? { meta: asCut(meta, kept.text), content: kept.text } : block;
  });
}

function asCut(meta: ContextMeta, content: string): ContextMeta {
  if (meta.kind === "image" || meta.kind === "binary" || meta.kind === "unreadable") return meta;
  if (!("endLine" in meta)) return { ...meta, isCut: true };
  return { ...meta, isCut: true, endLine: Math.max(meta.startLine, meta.startLine + lineCount(content) - 1) };
}

function isCutPart(isCut: boolean): { isCut?: boolean } {
  return isCut ? { isCut } : {};
}

function takeLines(text: string, startLine: number, endLine: number): string {
  let start = 0;
  for (let line = 1; line < startLine; line += 1) start = text.indexOf("\n", start) + 1;
  let end = start;
  for (let line = startLine; line <= endLine && end < text.length; line += 1) {
    const newline = text.indexOf("\n", end);
    end = newline === -1 ? text.length : newline + 1;
  }
  return text.slice(start, end);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** What a terminal shows in the end: a carriage return goes back to the start of its line. */
function shownText(output: string): string {
  const rows = stripVTControlCharacters(output.slice(-MAX_TERMINAL_CHARS)).split("\n");
  return rows
    .map((row) => row.replace(/\r$/, ""))
    .map((row) => row.slice(row.lastIndexOf("\r") + 1).replace(/[^\P{Cc}\t]/gu, ""))
    .join("\n");
}
