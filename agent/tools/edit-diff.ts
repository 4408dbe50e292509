import type { StructuredPatch, StructuredPatchHunk } from "diff";

const CONTEXT_LINES = 4;
/** A diff that takes longer is given as one block of removed and one of added lines. */
const DIFF_TIMEOUT_MS = 500;

/** The changes of an edit, for hosts to show. */
export interface EditDetails {
  /** Changed lines with some lines around them, each with its number. */
  diff: string;
  /** 1-based line of the new text. */
  firstChangedLine?: number;
  /** The change as a unified diff. */
  patch: string;
}

/** The part of the diff library that is used here. */
export type DiffLibrary = Pick<typeof import("diff"), "FILE_HEADERS_ONLY" | "formatPatch" | "structuredPatch">;

/** Compares two texts line by line. */
export async function describeChange(path: string, before: string, after: string): Promise<EditDetails> {
  return compareTexts(await import("diff"), { path, before, after });
}

/** The texts to compare, and the number of equal lines around each change. */
interface Comparison {
  path: string;
  before: string;
  after: string;
  contextLines?: number | undefined;
}

/** Compares two texts line by line, for callers that have the library and cannot wait. */
export function compareTexts(library: DiffLibrary, comparison: Comparison): EditDetails {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = library;
  const { path, before, after, contextLines: context = CONTEXT_LINES } = comparison;
  const window = changedWindow(before, after, context);
  const found = structuredPatch(path, path, window.before, window.after, undefined, undefined, {
    context,
    timeout: DIFF_TIMEOUT_MS,
  });
  const hunks = (found?.hunks ?? [wholeHunk(window)]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + window.skippedLines,
    newStart: hunk.newStart + window.skippedLines,
  }));
  const patch: StructuredPatch = {
    oldFileName: path,
    newFileName: path,
    oldHeader: undefined,
    newHeader: undefined,
    hunks,
  };
  const firstChangedLine = findFirstChange(hunks);
  return {
    diff: numberLines(hunks),
    ...(firstChangedLine === undefined ? {} : { firstChangedLine }),
    patch: formatPatch(patch, FILE_HEADERS_ONLY),
  };
}

interface ChangedWindow {
  before: string;
  after: string;
  /** Equal lines that were left out before the window. */
  skippedLines: number;
}

/** Cuts off equal lines at both ends except for some context, so that a small change in a large file is compared quickly. */
function changedWindow(before: string, after: string, contextLines: number): ChangedWindow {
  const shortest = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shortest && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  while (
    suffix < shortest - prefix &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) {
    suffix++;
  }
  const start = linesBack(before, prefix, contextLines);
  const end = Math.max(suffix - linesForward(before, before.length - suffix, contextLines + 1), 0);
  let skippedLines = 0;
  for (let at = before.indexOf("\n"); at !== -1 && at < start; at = before.indexOf("\n", at + 1)) skippedLines++;
  return {
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
    skippedLines,
  };
}

/** The start of the line that is `count` lines above the one at `at`. */
function linesBack(text: string, at: number, count: number): number {
  let start = at;
  for (let line = 0; line <= count && start > 0; line++) {
    start = line === 0 ? lineStart(text, start) : lineStart(text, start - 1);
  }
  return start;
}

function lineStart(text: string, at: number): number {
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}

/** Units from `at` to the end of the line that is `count` lines below. */
function linesForward(text: string, at: number, count: number): number {
  let end = at;
  for (let line = 0; line <= count && end < text.length; line++) {
    const feed = text.indexOf("\n", end);
    end = feed === -1 ? text.length : feed + 1;
  }
  return end - at;
}

function wholeHunk({ before, after }: ChangedWindow): StructuredPatchHunk {
  const oldLines = splitLines(before);
  const newLines = splitLines(after);
  return {
    oldStart: 1,
    oldLines: oldLines.length,
    newStart: 1,
    newLines: newLines.length,
    lines: [...oldLines.map((line) => `-${line}`), ...newLines.map((line) => `+${line}`)],
  };
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function findFirstChange(hunks: readonly StructuredPatchHunk[]): number | undefined {
  const [hunk] = hunks;
  if (hunk === undefined) return undefined;
  const offset = hunk.lines.findIndex((line) => line.startsWith("+") || line.startsWith("-"));
  return offset === -1 ? undefined : hunk.newStart + offset;
}

function numberLines(hunks: readonly StructuredPatchHunk[]): string {
  const last = hunks.at(-1);
  const highest = last === undefined ? 0 : Math.max(last.oldStart + last.oldLines, last.newStart + last.newLines);
  const width = String(highest).length;
  const out: string[] = [];
  for (const hunk of hunks) {
    if (hunk.oldStart > 1) out.push(` ${"".padStart(width)} ...`);
    let oldLine = hunk.oldStart;
    let newLine = hunk.newStart;
    for (const line of hunk.lines) {
      const mark = line.charAt(0);
      if (mark === "\\") continue; // the note about a missing last line feed has no number
      const number = mark === "-" ? oldLine : newLine;
      out.push(`${mark}${String(number).padStart(width)} ${line.slice(1).replace(/\r$/, "")}`);
      if (mark !== "+") oldLine++;
      if (mark !== "-") newLine++;
    }
  }
  return out.join("\n");
}
