import { isAscii } from "node:buffer";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { createTimeLimit } from "../../../../agent/util/time-limit.ts";
import { HostToolFailed } from "../host-tool.ts";

/** A pattern that needs longer than this for one file backtracks without end. */
const MATCH_LIMIT_MS = 500;
/** What is shown of a line, in UTF-16 units. */
const SHOWN_LENGTH = 200;
/** What is shown of a long line before what was found in it. */
const SHOWN_BEFORE = 60;

/** What is looked for. */
export interface Wanted {
  readonly text: string;
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
}

/** A line in which something was found. */
interface FoundLine {
  /** From 1. */
  readonly line: number;
  /** Without the space around it, a long one cut around what was found. */
  readonly text: string;
}

/** Looks for one thing in the lines of many texts. */
export interface LineSearch {
  /** Whether to decode the bytes of a file at all: false only when they cannot hold what is looked for, in whatever encoding. */
  mayBeIn(bytes: Uint8Array): boolean;
  /**
   * @param limit most lines that are wanted.
   * @param name how people name where the text is from.
   * @throws HostToolFailed when the pattern takes too long on it.
   */
  linesIn(text: string, limit: number, name: string): FoundLine[];
}

/** @throws HostToolFailed when it is no regular expression, or a text of several lines. */
export function createLineSearch(wanted: Wanted): LineSearch {
  const expression = compile(wanted);
  const needle = bytesOf(wanted);
  const withinLimit = wanted.isRegex ? createTimeLimit(MATCH_LIMIT_MS) : undefined;
  return {
    mayBeIn: (bytes) => needle === undefined || indexOf(bytes, needle) >= 0 || bytes.includes(0),
    linesIn(text, limit, name) {
      let found: FoundLine[] = [];
      const work = () => {
        found = matchingLines(text, expression, limit);
      };
      if (withinLimit === undefined) work();
      else if (!withinLimit(work)) {
        throw new HostToolFailed(`The pattern takes too long on ${name}. Make it simpler, or search for plain text.`);
      }
      return found;
    },
  };
}

function compile({ text, isRegex, ignoreCase }: Wanted): RegExp {
  if (!isRegex && /[\r\n]/.test(text)) {
    throw new HostToolFailed("Lines are searched one by one. Look for a part of one line.");
  }
  const source = isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  try {
    return new RegExp(source, ignoreCase ? "i" : "");
  } catch (error) {
    throw new HostToolFailed(`${errorMessage(error)}. Write it as JavaScript does, or leave isRegex away.`);
  }
}

/** The bytes that a text has in all encodings but those in which every other byte is zero; undefined when there are none. */
function bytesOf({ text, isRegex, ignoreCase }: Wanted): Uint8Array | undefined {
  const bytes = Buffer.from(text);
  return isRegex || ignoreCase || !isAscii(bytes) ? undefined : bytes;
}

function indexOf(bytes: Uint8Array, needle: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(needle);
}

function matchingLines(text: string, expression: RegExp, limit: number): FoundLine[] {
  const found: FoundLine[] = [];
  if (limit === 0) return found;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const match = expression.exec(line);
    if (match === null) continue;
    found.push({ line: index + 1, text: shownPart(line, match.index) });
    if (found.length === limit) break;
  }
  return found;
}

function shownPart(line: string, at: number): string {
  const whole = line.trim();
  if (whole.length <= SHOWN_LENGTH) return whole;
  const from = Math.max(0, at - SHOWN_BEFORE);
  const to = from + SHOWN_LENGTH;
  return `${from > 0 ? "…" : ""}${line.slice(from, to).trim()}${to < line.length ? "…" : ""}`;
}
