import { codeRegions } from "./code-regions.ts";

/** Words that refer to something in the editor. A file with such a name is written in quotes. */
export const MENTION_WORDS = ["problems", "selection", "terminal", "git", "task", "debug"] as const;

/** Lines of a file, 1-based, both inclusive. */
export interface LineRange {
  readonly startLine: number;
  readonly endLine: number;
}

/** The target of a mention. The path of a folder ends with a slash. */
export type MentionTarget =
  | { readonly kind: "path"; readonly path: string; readonly lines?: LineRange }
  | { readonly kind: "symbol"; readonly name: string }
  | { readonly kind: (typeof MENTION_WORDS)[number] };

/** A mention in a text; `start` is at its `@`, `end` is exclusive, in UTF-16 units. */
export interface Mention {
  readonly start: number;
  readonly end: number;
  readonly target: MentionTarget;
}

/** The mention that is being typed at the caret. */
export interface OpenMention {
  /** The range that is replaced when something is picked. */
  readonly start: number;
  readonly end: number;
  /** The text between the `@` and the caret, without quotes and lines. */
  readonly query: string;
  /** Lines that are already typed after the path. */
  readonly lines?: LineRange;
}

// A mention begins at the start, after a blank, an opening bracket or quote, punctuation of a sentence, or a script that is written
// without blanks between words. So `me@example.org`, `\@x`, `a/@x` and `#@x` are none.
const BEFORE =
  /[\s([{<"'“”‘’«»,;!?、。，；：！？（「『【]|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u;
const LINES = /:(\d{1,9})(?:-(\d{1,9}))?$/;
/** Lines that may be incomplete. */
const OPEN_LINES = /:(?:\d{1,9}(?:-\d{0,9})?)?$/;
const QUOTED = /(symbol:)?"((?:[^"\\\r\n]|\\.)*)"?/y;
const PLAIN = /[^\s"`@<>|*?\p{Cc}、。，；：！？）」』】”’»]{1,1000}/uy;
const LINES_BEHIND_QUOTE = /:\d{1,9}(?:-\d{1,9})?/y;
const SENTENCE_END = /[.,;:!?'…]$/;
const BRACKETS: ReadonlyMap<string, string> = new Map([
  [")", "("],
  ["]", "["],
  ["}", "{"],
]);

interface Token {
  readonly start: number;
  readonly end: number;
  /** Undefined when it is empty, such as a lone `@`, or when its quote is not closed. */
  readonly target: MentionTarget | undefined;
  /** True when it has an opening quote and no closing one on its line. */
  readonly isUnclosed?: boolean;
}

/** Finds the mentions of a text in order, except in code. Does not check whether the targets exist. */
export function findMentions(text: string): Mention[] {
  const mentions: Mention[] = [];
  for (const { start, end, target } of tokens(text)) {
    if (target !== undefined) mentions.push({ start, end, target });
  }
  return mentions;
}

/** Returns the mention that contains the caret or ends at it, with the caret after its `@`. */
export function mentionAt(text: string, caret: number): OpenMention | undefined {
  let found: OpenMention | undefined;
  for (const { start, end, isUnclosed } of tokens(text)) {
    if (caret <= start) break;
    const written = text.slice(start + 1, caret);
    // An apparent end of a sentence may be the middle of a name, or of its lines, that is being typed.
    const isOpen =
      isUnclosed === true ? !/[\r\n]/.test(written) : caret <= end || /^[.:]+$/.test(text.slice(end, caret));
    if (isOpen) found = { start, end: Math.max(isUnclosed === true ? caret : end, caret), ...queryOf(written) };
  }
  return found;
}

/** Formats a mention, in quotes where the plain form would be parsed as something else. Control characters cannot be written. */
export function formatMention(target: MentionTarget): string {
  if (target.kind === "symbol") return plainOrQuoted(`symbol:${target.name}`, `symbol:${quote(target.name)}`, target);
  if (target.kind !== "path") return `@${target.kind}`;
  const suffix = target.lines === undefined ? "" : formatLines(target.lines);
  return plainOrQuoted(target.path + suffix, quote(target.path) + suffix, target);
}

function* tokens(text: string): Generator<Token> {
  if (!text.includes("@")) return;
  const regions = codeRegions(text);
  let region = 0;
  let from = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", from)) {
    from = at + 1;
    while ((regions[region]?.end ?? Number.POSITIVE_INFINITY) <= at) region += 1;
    const code = regions[region];
    if (code !== undefined && code.start <= at) {
      from = code.end;
      continue;
    }
    if (!mayBegin(text, at)) continue;
    const token = readToken(text, at);
    from = Math.max(from, token.end);
    yield token;
  }
}

function mayBegin(text: string, at: number): boolean {
  if (at === 0) return true;
  const before = text.charAt(at - 1);
  const isPair = /[\udc00-\udfff]/.test(before);
  return BEFORE.test(isPair ? text.slice(at - 2, at) : before);
}

function readToken(text: string, start: number): Token {
  QUOTED.lastIndex = start + 1;
  const quoted = QUOTED.exec(text);
  if (quoted !== null) {
    const [all, symbol, escaped = ""] = quoted;
    const end = start + 1 + all.length;
    const isClosed = all.length > (symbol?.length ?? 0) + 1 + escaped.length;
    const name = escaped.replace(/\\(.)/g, "$1");
    // After an open quote there may be other mentions.
    if (!isClosed) return { start, end: end - escaped.length, target: undefined, isUnclosed: true };
    if (name === "") return { start, end, target: undefined };
    if (symbol !== undefined) return { start, end, target: { kind: "symbol", name } };
    LINES_BEHIND_QUOTE.lastIndex = end;
    const suffix = LINES_BEHIND_QUOTE.exec(text)?.[0] ?? "";
    const lines = readLines(suffix);
    if (lines === undefined) return { start, end, target: { kind: "path", path: name } };
    return { start, end: end + suffix.length, target: { kind: "path", path: name, lines } };
  }
  PLAIN.lastIndex = start + 1;
  const body = withoutSentenceEnd(PLAIN.exec(text)?.[0] ?? "");
  return { start, end: start + 1 + body.length, target: plainTarget(body) };
}

function plainTarget(body: string): MentionTarget | undefined {
  const word = MENTION_WORDS.find((candidate) => candidate === body);
  if (word !== undefined) return { kind: word };
  if (body.startsWith("symbol:")) {
    const name = body.slice("symbol:".length);
    return name === "" ? undefined : { kind: "symbol", name };
  }
  const lines = readLines(body);
  const path = lines === undefined ? body : body.replace(LINES, "");
  if (path === "") return undefined;
  return lines === undefined ? { kind: "path", path } : { kind: "path", path, lines };
}

function readLines(text: string): LineRange | undefined {
  const [, first, last = first] = LINES.exec(text) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const [a, b] = [Number(first), Number(last)];
  return a === 0 || b === 0 ? undefined : { startLine: Math.min(a, b), endLine: Math.max(a, b) };
}

function withoutSentenceEnd(body: string): string {
  let kept = body;
  while (kept !== "") {
    const last = kept.charAt(kept.length - 1);
    const opening = BRACKETS.get(last);
    const isLoose = opening !== undefined && kept.split(last).length > kept.split(opening).length;
    if (!isLoose && !SENTENCE_END.test(kept)) return kept;
    kept = kept.slice(0, -1);
  }
  return kept;
}

function queryOf(written: string): { query: string; lines?: LineRange } {
  QUOTED.lastIndex = 0;
  const [all, symbol = "", escaped = ""] = QUOTED.exec(written) ?? [];
  if (all !== undefined) {
    const lines = readLines(written.slice(all.length));
    return { query: symbol + escaped.replace(/\\(.)/g, "$1"), ...(lines && { lines }) };
  }
  if (written.startsWith("symbol:")) return { query: written };
  const lines = readLines(written);
  return { query: written.replace(OPEN_LINES, ""), ...(lines && { lines }) };
}

function plainOrQuoted(plain: string, quoted: string, target: MentionTarget): string {
  const [read, ...more] = findMentions(`@${plain}`);
  const isSame = more.length === 0 && read?.end === plain.length + 1 && isSameTarget(read.target, target);
  return isSame ? `@${plain}` : `@${quoted}`;
}

function isSameTarget(a: MentionTarget, b: MentionTarget): boolean {
  if (a.kind === "symbol") return b.kind === "symbol" && a.name === b.name;
  if (a.kind !== "path" || b.kind !== "path" || a.path !== b.path) return false;
  return a.lines?.startLine === b.lines?.startLine && a.lines?.endLine === b.lines?.endLine;
}

function quote(name: string): string {
  return `"${name.replace(/["\\]/g, "\\$&")}"`;
}

function formatLines({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `:${startLine}` : `:${startLine}-${endLine}`;
}
