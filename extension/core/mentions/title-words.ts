import { findMentions, type MentionTarget } from "./mention-text.ts";

/** Maximum length of a title, in UTF-16 units. */
const MAX_TITLE_CHARS = 80;
/** Markup is only looked for in the beginning of a message, in UTF-16 units. */
const MAX_READ_CHARS = 4000;
/** Attached blocks at the end of a message, which may be one line that is cut anywhere. */
const ATTACHED = /\s*<attached key="[0-9a-f]{16}">.*$/s;
const FENCED = /```.*?(?:```|$)/gs;
const NUMBER = / \((\d{1,4})\)$/;

/** Returns the first words of a message as a title on one line: names instead of mentions, and no Markdown. Undefined when nothing is left. */
export function titleWords(message: string): string | undefined {
  const said = message.replace(ATTACHED, "").slice(0, MAX_READ_CHARS);
  const line = plainLine(said.replace(FENCED, " ")) || plainLine(said.replaceAll("```", " "));
  if (line === "") return undefined;
  return line.length <= MAX_TITLE_CHARS ? line : `${cutAtWord(line)}…`;
}

/** Returns a title and its number; a title without a number has number 1. */
function splitNumber(title: string): { readonly base: string; readonly number: number } {
  const number = NUMBER.exec(title)?.[1];
  return number === undefined
    ? { base: title, number: 1 }
    : { base: title.replace(NUMBER, ""), number: Number(number) };
}

/** Returns a title with the next number that none of the others has, such as `Fix the parser (2)`; undefined when none is equal. */
export function nextTitle(title: string, others: readonly string[]): string | undefined {
  const { base } = splitNumber(title);
  const numbers = others.map(splitNumber).flatMap((other) => (other.base === base ? [other.number] : []));
  return numbers.length === 0 ? undefined : `${base} (${Math.max(...numbers) + 1})`;
}

function plainLine(text: string): string {
  return withNames(text)
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")
    .replace(/<\/?[a-z][\w-]*(?:\s[^<>]*)?>/gi, " ")
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d{1,2}[.)])[ \t]+/gm, "")
    .replace(/\*\*|`/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

function withNames(text: string): string {
  let result = "";
  let from = 0;
  for (const { start, end, target } of findMentions(text)) {
    result += text.slice(from, start) + nameOf(target);
    from = end;
  }
  return result + text.slice(from);
}

function nameOf(target: MentionTarget): string {
  if (target.kind === "symbol") return target.name;
  return target.kind === "path"
    ? target.path.slice(target.path.lastIndexOf("/", target.path.length - 2) + 1)
    : target.kind;
}

/** Cuts at the last space, or, in a script without spaces, between two characters. */
function cutAtWord(line: string): string {
  const cut = line.slice(0, MAX_TITLE_CHARS);
  const space = cut.lastIndexOf(" ");
  return space > MAX_TITLE_CHARS / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, "");
}
