import { isAscii } from "node:buffer";
import { errorMessage } from "../../../../agent/protocol/errors.ts";
import { createTimeLimit } from "../../../../agent/util/time-limit.ts";
import { HostToolFailed } from "../host-tool.ts";

/** Time limit of a pattern for one file, in milliseconds; a slower one backtracks catastrophically. */
const MATCH_LIMIT_MS = 500;
/** Maximum length of a shown line, in UTF-16 units. */
const SHOWN_LENGTH = 200;
/** Length shown before the match in a long line. */
const SHOWN_BEFORE = 60;

/** The search text or pattern. */
export interface Wanted {
  readonly text: string;
  readonly isRegex: boolean;
  readonly ignoreCase: boolean;
}

/** A line with a match. */
interface FoundLine {
  /** 1-based. */
  readonly line: number;
  /** The trimmed line; a long one is cut around the match. */
  readonly text: string;
}

/** Searches the lines of texts. */
export interface LineSearch {
  /** False only when bytes cannot contain a match, in whatever encoding, so that they need not be decoded. */
  mayBeIn(bytes: Uint8Array): boolean;
  /**
   * @param limit maximum number of lines.
   * @param name the name of the text in messages.
   * @throws HostToolFailed when the pattern takes too long.
   */
  linesIn(text: string, limit: number, name: string): FoundLine[];
}

/** @throws HostToolFailed when the pattern is invalid, or the text has several lines. */
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
    throw new HostToolFailed("Each line is searched by itself. Search for part of one line.");
  }
  const source = isRegex ? text : text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
  try {
    return new RegExp(source, ignoreCase ? "i" : "");
  } catch (error) {
    throw new HostToolFailed(`${errorMessage(error)}. Write it as JavaScript does, or leave isRegex away.`);
  }
}

/** Returns the bytes of the text in all encodings except UTF-16 and UTF-32; undefined when encodings differ. */
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
