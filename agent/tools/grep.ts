import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import * as z from "zod";
import { resolveExistingPath } from "../util/existing-path.ts";
import { formatSize, MAX_BYTES, truncateHead } from "../util/truncate.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { BUILTIN_PATHS } from "./builtin-paths.ts";
import { compileGlob } from "./glob.ts";
import { addContext } from "./grep-context.ts";
import { findRipgrep, listWithRipgrep, searchWithRipgrep } from "./grep-ripgrep.ts";
import type { GrepLine, GrepSearch } from "./grep-search.ts";
import { filesByWalking, searchByWalking } from "./grep-walk.ts";
import { PathNotFound } from "./path-not-found.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput, textOutput } from "./tool.ts";

const DEFAULT_LIMIT = 100;
const MAX_CONTEXT = 100;
const MAX_LINE_CHARACTERS = 500;

const GrepInput = z.object({
  pattern: z.string().min(1).describe("Regular expression, or plain text with literal"),
  path: z.string().optional().describe("Folder or file to search; default: the working directory"),
  glob: z.string().optional().describe("Search only these files, such as *.ts or src/**/*.json"),
  ignoreCase: z.boolean().optional().describe("Ignore case"),
  i: z.boolean().optional().describe("Short for ignoreCase"),
  literal: z.boolean().optional().describe("Treat the pattern as plain text"),
  context: z.int().min(0).max(MAX_CONTEXT).optional().describe("Number of lines to show before and after each match"),
  limit: z.int().min(1).optional().describe("Maximum number of matching lines; default: 100"),
});
type GrepInput = z.output<typeof GrepInput>;

/** The files that are searched. Matches are always looked for on this machine. */
export interface GrepFiles {
  /** Resolves a path from a directory. @throws Error if nothing is there. */
  locate(cwd: string, shownPath: string): Promise<{ path: string; isFolder: boolean }>;
  /** Reads the lines around matches, in place of the search; undefined leaves the file without any. */
  readContext?(path: string): Promise<string | undefined>;
}

/** Makes the tool that searches file contents by line. @param files where they are. */
export function grepToolOver(files: GrepFiles): AnyTool {
  return defineTool({
    name: "grep",
    description:
      "Searches the lines of files for a regular expression. Results have the form path:line: text, with paths relative to the searched folder. Hidden files are searched, ignored files (.gitignore) are not. Lines are cut to 500 characters.",
    input: GrepInput,
    concurrency: "shared",
    isReadOnly: true,
    paths: BUILTIN_PATHS.grep,
    promptSnippet: "Search file contents",
    summarize: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
    run: (input, context) => runGrep(files, input, context),
  });
}

/** Searches files of this machine by line. */
export const grepTool = grepToolOver({ locate: locateLocally });

async function runGrep(files: GrepFiles, input: GrepInput, context: ToolContext): Promise<ToolOutput> {
  if (context.signal.aborted) throw new Error("Operation aborted");
  if (/[\n\0]/.test(input.pattern))
    throw new Error("The pattern must not contain line breaks: grep looks at single lines.");
  const { readContext } = files;
  const search = await toSearch(files, input, context);
  const found = searchLines(readContext === undefined ? search : { ...search, context: 0 }, context);
  const lines = readContext === undefined ? found : addContext(found, search, readContext);
  const limit = input.limit ?? DEFAULT_LIMIT;
  const matches = await collectMatches(lines, limit, search.context);
  return describeMatches(matches, limit, await countLeftOut(search, context));
}

async function* searchLines(search: GrepSearch, context: ToolContext): AsyncGenerator<GrepLine> {
  const { isWanted, isLeftOut } = search;
  const wanted =
    isLeftOut === undefined ? search : { ...search, isWanted: (path: string) => isWanted(path) && !isLeftOut(path) };
  const ripgrep = await ripgrepFor(context);
  yield* ripgrep === undefined ? searchByWalking(wanted) : searchWithRipgrep(ripgrep, wanted);
}

function ripgrepFor({ env }: ToolContext): Promise<string | undefined> {
  return findRipgrep({ ...process.env, ...env });
}

/** Returns how many files were left out, whether or not they match: a count of matches would tell what is in them. */
async function countLeftOut(search: GrepSearch, context: ToolContext): Promise<number> {
  const { isWanted, isLeftOut } = search;
  if (isLeftOut === undefined) return 0;
  const ripgrep = await ripgrepFor(context);
  let count = 0;
  for await (const path of ripgrep === undefined ? filesByWalking(search) : listWithRipgrep(ripgrep, search)) {
    if (isWanted(path) && isLeftOut(path)) count++;
  }
  return count;
}

async function locateLocally(cwd: string, shownPath: string): Promise<{ path: string; isFolder: boolean }> {
  const path = ordinaryPath(await resolveExistingPath(cwd, shownPath));
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new PathNotFound(`Path not found: ${shownPath}`, shownPath);
  const isFolder = stats.isDirectory();
  // Opening a pipe or a device would wait for somebody at its other end.
  if (!isFolder && !stats.isFile()) throw new Error(`Not a regular file: ${shownPath}`);
  return { path, isFolder };
}

async function toSearch(files: GrepFiles, input: GrepInput, context: ToolContext): Promise<GrepSearch> {
  const { path, isFolder } = await files.locate(context.cwd, input.path ?? ".");
  return {
    pattern: input.pattern,
    isLiteral: input.literal === true,
    ignoreCase: input.ignoreCase ?? input.i ?? false,
    context: input.context ?? 0,
    root: isFolder ? path : dirname(path),
    onlyFile: isFolder ? undefined : basename(path),
    isWanted: input.glob === undefined ? () => true : await compileGlob(input.glob),
    isLeftOut: isFolder ? await context.leavesOut?.(path) : undefined,
    signal: context.signal,
  };
}

interface Matches {
  lines: string[];
  isLimitReached: boolean;
  hasLongLines: boolean;
}

/** Takes lines up to and including the last allowed match and its context. */
async function collectMatches(found: AsyncIterable<GrepLine>, limit: number, context: number): Promise<Matches> {
  const result: Matches = { lines: [], isLimitReached: false, hasLongLines: false };
  let matches = 0;
  let bytes = 0;
  let last: GrepLine | undefined;
  for await (const line of found) {
    if (line.isMatch) {
      matches++;
      result.isLimitReached = matches > limit;
      if (result.isLimitReached) break;
      last = line;
    } else if (matches === limit && last !== undefined && !isBelow(last, line, context)) {
      continue; // it leads up to a match that is over the limit
    }
    const isLong = line.text.length > MAX_LINE_CHARACTERS;
    if (isLong) result.hasLongLines = true;
    const text = isLong ? `${line.text.slice(0, MAX_LINE_CHARACTERS)}... [truncated]` : line.text;
    const mark = line.isMatch ? ":" : "-";
    const shown = `${line.path}${mark}${line.line}${mark} ${text}`;
    result.lines.push(shown);
    bytes += shown.length;
    // Past the size limit nothing more is shown, but one line more lets the truncation be seen.
    if (bytes > MAX_BYTES) break;
  }
  return result;
}

function isBelow(match: GrepLine, line: GrepLine, context: number): boolean {
  return line.path === match.path && line.line > match.line && line.line <= match.line + context;
}

function describeMatches(matches: Matches, limit: number, leftOut: number): ToolOutput {
  const hidden =
    leftOut === 0
      ? []
      : [
          `${leftOut === 1 ? "1 file was" : `${leftOut} files were`} left out, because they may hold secrets. Search each by its path`,
        ];
  if (matches.lines.length === 0)
    return textOutput(["No matches found", ...hidden.map((text) => `[${text}]`)].join("\n\n"));
  const text = matches.lines.join("\n");
  const { content, truncation } = truncateHead(text, { maxLines: Number.MAX_SAFE_INTEGER, maxBytes: MAX_BYTES });
  const notices: string[] = [...hidden];
  if (matches.isLimitReached) {
    notices.push(`${limit} matches limit reached. Use limit=${limit * 2} for more, or refine pattern`);
  }
  if (truncation.truncated) notices.push(`${formatSize(MAX_BYTES)} limit reached`);
  if (matches.hasLongLines) notices.push("Some lines truncated to 500 chars. Use read tool to see full lines");
  if (notices.length === 0) return textOutput(content);
  return textOutput(`${content}\n\n[${notices.join(". ")}]`, {
    ...(truncation.truncated ? { truncation } : {}),
    ...(matches.isLimitReached ? { matchLimitReached: limit } : {}),
    ...(matches.hasLongLines ? { linesTruncated: true } : {}),
  });
}
