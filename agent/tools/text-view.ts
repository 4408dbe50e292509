/** A text made comparable, with the way back to the text it was made from. Positions are UTF-16 units. */
export interface TextView {
  readonly text: string;
  /** Returns the start of the unit at `at` in the original. */
  originalStart(at: number): number;
  /** Returns the end of the unit before `at` in the original. */
  originalEnd(at: number): number;
}

const CLUSTER = /\P{M}\p{M}*|\p{M}+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
const ASCII_ONLY = /^[\x00-\x7f]*$/;
const SINGLE_QUOTES = /[\u2018-\u201b\u2032]/g;
const DOUBLE_QUOTES = /[\u201c-\u201f\u2033]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const BLANKS: ReadonlySet<string> = new Set([" ", "\t", "\f", "\v"]);

/** The text with LF for each CR LF. */
export function lineFeedView(original: string): TextView {
  if (!original.includes("\r\n")) return { text: original, originalStart: (at) => at, originalEnd: (at) => at };
  const feeds: number[] = [];
  let removed = 0;
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
    feeds.push(at - removed);
    removed++;
  }
  return {
    text: original.replaceAll("\r\n", "\n"),
    // The line feed stands for both characters: it begins at the CR and ends behind the LF.
    originalStart: (at) => at + countBelow(feeds, at),
    originalEnd: (at) => at + countBelow(feeds, at),
  };
}

/**
 * A view in which only what a reader sees differs: compatibility forms (NFKC), kinds of quotes, dashes and spaces are one, and blanks at the
 * ends of lines are gone.
 */
export function looseView(base: TextView): TextView {
  const builder: LooseBuilder = { text: [], starts: [], ends: [] };
  let lineStart = 0;
  for (;;) {
    const feed = base.text.indexOf("\n", lineStart);
    const lineEnd = feed === -1 ? base.text.length : feed;
    addLine(builder, base.text.slice(lineStart, lineEnd), lineStart);
    if (feed === -1) break;
    addUnits(builder, "\n", feed, feed + 1);
    lineStart = feed + 1;
  }
  const { starts, ends } = builder;
  return {
    text: builder.text.join(""),
    originalStart: (at) => base.originalStart(starts[at] ?? base.text.length),
    originalEnd: (at) => base.originalEnd(ends[at - 1] ?? 0),
  };
}

/** One text in the form of `looseView`. */
export function toLoose(text: string): string {
  if (!text.includes("\n") && ASCII_ONLY.test(text)) return withoutTrailingBlanks(text);
  return looseView({ text, originalStart: (at) => at, originalEnd: (at) => at }).text;
}

/** A pattern would look at a long run of blanks inside a line once for each of them. */
function withoutTrailingBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && BLANKS.has(line.charAt(end - 1))) end--;
  return line.slice(0, end);
}

interface LooseBuilder {
  text: string[];
  starts: number[];
  ends: number[];
}

function addLine(builder: LooseBuilder, line: string, lineStart: number): void {
  if (ASCII_ONLY.test(line)) {
    const kept = withoutTrailingBlanks(line);
    builder.text.push(kept);
    for (let at = 0; at < kept.length; at++) {
      builder.starts.push(lineStart + at);
      builder.ends.push(lineStart + at + 1);
    }
    return;
  }
  const clusters = [...line.matchAll(CLUSTER)].map((match) => ({
    loose: loosen(match[0]),
    from: match.index,
    to: match.index + match[0].length,
  }));
  while (clusters.at(-1)?.loose.trim() === "") clusters.pop();
  for (const { loose, from, to } of clusters) addUnits(builder, loose, lineStart + from, lineStart + to);
}

function addUnits(builder: LooseBuilder, text: string, from: number, to: number): void {
  builder.text.push(text);
  for (let unit = 0; unit < text.length; unit++) {
    builder.starts.push(from);
    builder.ends.push(to);
  }
}

function loosen(cluster: string): string {
  const plain = cluster
    .replace(SPACES, " ")
    .replace(DOUBLE_QUOTES, '"')
    .replace(SINGLE_QUOTES, "'")
    .replace(DASHES, "-");
  return plain.normalize("NFKC").replace(DASHES, "-");
}

/** Counts the ascending numbers that are smaller than `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
