import { MAX_NESTING } from "./nesting.ts";

const CLOSERS: Record<string, string> = { "{": "}", "[": "]" };

/**
 * Reads as much as possible of JSON text that may stop anywhere: open strings, lists and objects are closed, what is half-written behind
 * them is left out.
 * @returns the object so far, `{}` when there is none, or when it's nested too deeply.
 */
export function parsePartialObject(text: string): Record<string, unknown> {
  for (const candidate of completions(text)) {
    const value = tryParse(candidate);
    if (isRecord(value)) return value;
  }
  return {};
}

/** JSON text as an object, or undefined when it is anything else. Empty text is an empty object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "") return {};
  const value = tryParse(text);
  return isRecord(value) ? value : undefined;
}

function* completions(text: string): Generator<string> {
  const scanned = scan(text);
  if (scanned === undefined) return;
  const { stack, isInString, isEscaped, lastCut, closedSinceCut } = scanned;
  const closed = close(isEscaped ? text.slice(0, -1) : text, isInString, stack);
  yield closed;
  if (lastCut !== undefined) yield close(text.slice(0, lastCut), false, [...stack, ...closedSinceCut.toReversed()]);
}

function close(text: string, isInString: boolean, stack: readonly string[]): string {
  const body = isInString ? `${text}"` : text.replace(/[,\s]+$/, "");
  return body + stack.toReversed().join("");
}

interface Scan {
  stack: string[];
  isInString: boolean;
  isEscaped: boolean;
  /** The last place after which everything may be left out: behind an opening bracket, or before a comma. */
  lastCut: number | undefined;
  /** The levels that were closed since, innermost first. */
  closedSinceCut: string[];
}

/** @returns undefined when more is open than values may have levels: closing all of that again and again would take for ever. */
function scan(text: string): Scan | undefined {
  const result: Scan = { stack: [], isInString: false, isEscaped: false, lastCut: undefined, closedSinceCut: [] };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (result.isInString) {
      if (result.isEscaped) result.isEscaped = false;
      else if (character === "\\") result.isEscaped = true;
      else if (character === '"') result.isInString = false;
    } else {
      scanOutside(result, character, at);
      if (result.stack.length > MAX_NESTING) return undefined;
    }
  }
  return result;
}

function scanOutside(result: Scan, character: string, at: number): void {
  const closer = CLOSERS[character];
  if (character === '"') {
    result.isInString = true;
  } else if (closer !== undefined) {
    result.stack.push(closer);
    cutAt(result, at + 1);
  } else if (character === "}" || character === "]") {
    const closed = result.stack.pop();
    if (closed !== undefined) result.closedSinceCut.push(closed);
  } else if (character === ",") {
    cutAt(result, at);
  }
}

function cutAt(result: Scan, at: number): void {
  result.lastCut = at;
  result.closedSinceCut = [];
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // half a document: the caller tries the next completion
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
