import { open } from "node:fs/promises";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { errorMessage } from "../protocol/errors.ts";
import { vm } from "../util/late-node.ts";
import { walkFolder } from "./gitignore-walk.ts";
import type { GrepLine, GrepSearch } from "./grep-search.ts";

const CHUNK_BYTES = 256 * 1024;
/** A line is searched up to this length; the rest of it is not looked at. */
const MAX_LINE_LENGTH = 1024 * 1024;
/** A pattern that needs longer than this for one chunk of a file backtracks without end. */
const MATCH_TIMEOUT_MS = 1000;
const METACHARACTERS = /[\\^$.*+?()[\]{}|]/;
const SKIPPED_NAMES: ReadonlySet<string> = new Set([".git"]);

/**
 * Searches without ripgrep: the same files and lines, with JavaScript's regular expressions.
 * @throws Error when the pattern is not valid or takes too long; `Operation aborted`.
 */
export async function* searchByWalking(search: GrepSearch): AsyncGenerator<GrepLine> {
  const matcher = compileMatcher(search);
  if (search.onlyFile !== undefined) {
    yield* searchFile(search, search.onlyFile, matcher);
    return;
  }
  for await (const path of filesByWalking(search)) {
    if (search.isWanted(path)) yield* searchFile(search, path, matcher);
  }
}

/** Lists the files that a search looks into, by their paths below the folder. */
export async function* filesByWalking({ root, signal }: GrepSearch): AsyncGenerator<string> {
  for await (const { path, kind } of walkFolder(root, { skip: SKIPPED_NAMES, signal })) {
    if (kind === "file") yield path;
  }
}

interface Matcher {
  /** Bytes without which a file has no match. */
  needle: Buffer | undefined;
  /** Tells which of the lines match, as indices. */
  findHits(lines: readonly string[], path: string): number[];
}

function compileMatcher({ pattern, isLiteral, ignoreCase }: GrepSearch): Matcher {
  const expression = compileExpression(pattern, isLiteral, ignoreCase);
  const isPlain = isLiteral || !METACHARACTERS.test(pattern);
  return {
    needle: isPlain && !ignoreCase ? Buffer.from(pattern) : undefined,
    findHits: isPlain ? (lines) => hitsOf(expression, lines) : interruptible(expression),
  };
}

function hitsOf(expression: RegExp, lines: readonly string[]): number[] {
  const hits: number[] = [];
  for (const [index, line] of lines.entries()) if (expression.test(line)) hits.push(index);
  return hits;
}

/** Only code that runs in a vm can be interrupted, and only that bounds a pattern that would backtrack for years. */
function interruptible(expression: RegExp): Matcher["findHits"] {
  let lines: readonly string[] = [];
  const box: { run: () => number[]; hits: number[] } = { run: () => hitsOf(expression, lines), hits: [] };
  const context = vm().createContext(box);
  const script = new (vm().Script)("hits = run()");
  return (chunkLines, path) => {
    lines = chunkLines;
    try {
      script.runInContext(context, { timeout: MATCH_TIMEOUT_MS });
    } catch (error) {
      if (!isTimeout(error)) throw error;
      throw new Error(`The pattern takes too long on ${path}. Make it simpler, or use literal.`, { cause: error });
    }
    return box.hits;
  };
}

/** The error comes from the vm, whose `Error` is another than ours. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}

function compileExpression(pattern: string, isLiteral: boolean, ignoreCase: boolean): RegExp {
  if (isLiteral) return new RegExp(pattern.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), ignoreCase ? "i" : "");
  // Flags at the very start are ripgrep's way to write what JavaScript keeps outside.
  const inline = /^\(\?([is]+)\)/.exec(pattern);
  const source = inline === null ? pattern : pattern.slice(inline[0].length);
  const flags = [...new Set((inline?.[1] ?? "") + (ignoreCase ? "i" : ""))].join("");
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Unicode mode refuses needless escapes that other engines take.
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new Error(`regex parse error: ${errorMessage(error)}`, { cause: error });
    }
  }
}

async function* searchFile(search: GrepSearch, path: string, matcher: Matcher): AsyncGenerator<GrepLine> {
  const shown = new ContextWindow(path, search.context);
  for await (const lines of readLines(join(search.root, path), matcher.needle, search.signal)) {
    const hits = matcher.findHits(lines, path);
    if (hits.length === 0 && !shown.needsLines) shown.skip(lines);
    else yield* shown.add(lines, new Set(hits));
  }
}

/** Puts the lines around matches into the output, each once. */
class ContextWindow {
  readonly #path: string;
  readonly #size: number;
  /** The last lines that were not shown, at most as many as the context. */
  #before: GrepLine[] = [];
  #line = 0;
  #after = 0;

  constructor(path: string, size: number) {
    this.#path = path;
    this.#size = size;
  }

  /** True if the next lines are context of a match before them. */
  get needsLines(): boolean {
    return this.#after > 0;
  }

  skip(lines: readonly string[]): void {
    const first = this.#line + lines.length - Math.min(this.#size, lines.length) + 1;
    const last = this.#size === 0 ? [] : lines.slice(-this.#size);
    const kept = last.map((text, index) => this.#toLine(text, first + index, false));
    this.#before = this.#size === 0 ? [] : [...this.#before, ...kept].slice(-this.#size);
    this.#line += lines.length;
  }

  *add(lines: readonly string[], hits: ReadonlySet<number>): Generator<GrepLine> {
    for (const [index, text] of lines.entries()) {
      this.#line++;
      const line = this.#toLine(text, this.#line, hits.has(index));
      if (line.isMatch) {
        yield* this.#before;
        this.#before = [];
        this.#after = this.#size;
        yield line;
      } else if (this.#after > 0) {
        this.#after--;
        yield line;
      } else if (this.#size > 0) {
        this.#before.push(line);
        if (this.#before.length > this.#size) this.#before.shift();
      }
    }
  }

  #toLine(text: string, line: number, isMatch: boolean): GrepLine {
    return { path: this.#path, line, text, isMatch };
  }
}

/** The lines of a text file in groups, none of a small one without the needle; nothing more once a NUL byte shows that the file is binary. Unreadable files have no lines. */
async function* readLines(path: string, needle: Buffer | undefined, signal: AbortSignal): AsyncGenerator<string[]> {
  const file = await openRegularFile(path);
  if (file === undefined) return;
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const decoder = new StringDecoder("utf8");
    let rest = "";
    let isFirst = true;
    for (;;) {
      if (signal.aborted) throw new Error("Operation aborted");
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
      const chunk = buffer.subarray(0, bytesRead);
      if (chunk.includes(0)) return;
      const isWholeFile = isFirst && bytesRead < CHUNK_BYTES;
      if (isWholeFile && needle !== undefined && !chunk.includes(needle)) return;
      isFirst = false;
      const text = bytesRead === 0 ? decoder.end() : decoder.write(chunk);
      const lines = (rest + text).split("\n");
      rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
      if (bytesRead === 0 && rest !== "") lines.push(rest);
      if (lines.length > 0) yield lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
      if (bytesRead === 0) return;
    }
  } finally {
    await file.close();
  }
}

async function openRegularFile(path: string): Promise<Awaited<ReturnType<typeof open>> | undefined> {
  try {
    return await open(path, "r");
  } catch {
    return undefined; // what cannot be read has no matches, as with ripgrep's --no-messages
  }
}
