import { stripVTControlCharacters } from "node:util";
import type { ContextBlock, ContextMeta } from "../../../webview/protocol/context.ts";
import { byteLength, type CutText, keepEnd, keepStart, lineCount, MAX_BYTES } from "./cut-text.ts";

/** Maximum content of one prompt, in bytes; blocks beyond it are sent without content. */
const MAX_TOTAL_BYTES = 256 * 1024;
/** Maximum length of terminal output that is processed, in UTF-16 units. */
const MAX_TERMINAL_CHARS = 1024 * 1024;

/** Escape sequences by which a shell reports its prompt and commands to the editor, within the output. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const SHELL_MARKS = /\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** A problem reported in the editor. `line` and `column` are 1-based. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning" | "info" | "hint";
  readonly message: string;
  /** The source and code, such as `ts 2304`. */
  readonly source?: string;
}

/** Creates a block of a file, cut to the limits. */
export function fileBlock({ path, text, language }: { path: string; text: string; language?: string }): ContextBlock {
  const kept = keepStart(text);
  const endLine = Math.max(1, lineCount(kept.text));
  const totalLines = lineCount(text);
  const place = { path, startLine: 1, endLine, totalLines, ...(language && { language }) };
  return { meta: { kind: "file", ...place, ...cutPart(kept, text) }, content: kept.text };
}

/** Creates a block of a part of a document: a selection or the range of a symbol. */
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
  const where = { path, startLine, endLine, ...(language && { language }), ...cutPart(kept, part.text) };
  return {
    meta: name === undefined ? { kind: "selection", ...where } : { kind: "symbol", name, ...where },
    content: kept.text,
  };
}

/** Creates a block of the editor's problems, one per line; `count` is the number of all of them. */
export function problemsBlock(problems: readonly Problem[]): ContextBlock {
  const text = problemLines(problems);
  const kept = keepStart(text);
  return { meta: { kind: "problems", count: problems.length, ...cutPart(kept, text) }, content: kept.text };
}

/** Creates a block of a terminal command: its command line and the end of its output, without escape sequences. */
export function terminalBlock(run: {
  name: string;
  command: string;
  output: string;
  /** Undefined while it runs, or when the shell did not report it. */
  exitCode: number | undefined;
}): ContextBlock {
  const shown = shownText(run.output);
  const kept = keepEnd(shown);
  const ending = run.exitCode === undefined ? "" : `\n[exit code ${run.exitCode}]`;
  const content = `$ ${run.command}\n${kept.text.trimEnd()}${ending}`;
  return { meta: { kind: "terminal", name: run.name, ...cutPart(kept, shown, "last") }, content };
}

/** Creates a block of git's report of the changes. */
export function gitBlock(report: string): ContextBlock {
  const kept = keepStart(report);
  return { meta: { kind: "git", ...cutPart(kept, report) }, content: kept.text };
}

/** Creates a block of a finished or running task, and the problems at that time. */
export function taskBlock(task: {
  name: string;
  /** Undefined while it runs, or for a task without a process. */
  exitCode: number | undefined;
  isRunning: boolean;
  problems: readonly Problem[];
}): ContextBlock {
  const { name, exitCode, isRunning, problems } = task;
  const ending = exitCode === undefined ? "It has ended." : `It ended with exit code ${exitCode}.`;
  const found = problems.length === 0 ? "The editor knows of no problems." : problemLines(problems);
  const text = `Task "${name}". ${isRunning ? "It is running." : ending}\n${found}`;
  const kept = keepStart(text);
  return { meta: { kind: "task", name, ...cutPart(kept, text) }, content: kept.text };
}

/** Creates a block of a debugger's state. */
export function debugBlock(name: string, report: string): ContextBlock {
  const kept = keepStart(report);
  return { meta: { kind: "debug", name, ...cutPart(kept, report) }, content: kept.text };
}

/** Creates the block for a resource of an MCP server, as shortened by the agent. */
export function resourceBlock({
  content,
  ...resource
}: {
  readonly name: string;
  readonly server: string;
  readonly uri: string;
  readonly content: string;
  readonly cut?: string;
}): ContextBlock {
  return { meta: { kind: "resource", ...resource }, content };
}

/** Creates a block in place of a context that is unavailable. */
export function missingBlock(name: string, reason: string): ContextBlock {
  return { meta: { kind: "missing", name, reason }, content: "" };
}

/** Cuts the contents of blocks that exceed the limit of a prompt, except for pasted text. Returns the blocks as they are sent. */
export function fitBlocks(blocks: readonly ContextBlock[]): ContextBlock[] {
  let room = MAX_TOTAL_BYTES;
  return blocks.map((block) => {
    const { meta, content } = block;
    if (meta.kind === "pasted") return block;
    const isEnd = meta.kind === "terminal";
    const kept = (isEnd ? keepEnd : keepStart)(content, Math.min(room, MAX_BYTES));
    room -= byteLength(kept.text);
    return kept.isCut ? { meta: asCut(meta, kept, content), content: kept.text } : block;
  });
}

function asCut(meta: ContextMeta, kept: CutText, content: string): ContextMeta {
  if (meta.kind === "missing") return meta;
  const note = cutPart(kept, content, meta.kind === "terminal" ? "last" : "first");
  if (!("endLine" in meta)) return { ...meta, ...note };
  return { ...meta, ...note, endLine: Math.max(meta.startLine, meta.startLine + lineCount(kept.text) - 1) };
}

/** Describes a cut. In English, since the model reads it, too. */
function cutPart(kept: CutText, whole: string, which: "first" | "last" = "first"): { cut?: string } {
  if (!kept.isCut) return {};
  return { cut: `Cut: the ${which} ${byteLength(kept.text)} of ${byteLength(whole)} bytes.` };
}

function problemLines(problems: readonly Problem[]): string {
  const rows = problems.map(({ path, line, column, severity, message, source }) =>
    oneLine(`${path}:${line}:${column}: ${severity}: ${message}${source === undefined ? "" : ` [${source}]`}`),
  );
  return rows.join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Returns the text that a terminal shows in the end: a carriage return moves back to the start of its line. */
export function shownText(output: string): string {
  const rows = stripVTControlCharacters(output.slice(-MAX_TERMINAL_CHARS).replace(SHELL_MARKS, "")).split("\n");
  return (
    rows
      // Without the lookbehind, the search would restart at each return of a run.
      .map((row) => row.replace(/(?<!\r)\r+$/, ""))
      .map((row) => row.slice(row.lastIndexOf("\r") + 1).replace(/[^\P{Cc}\t]/gu, ""))
      .join("\n")
  );
}
