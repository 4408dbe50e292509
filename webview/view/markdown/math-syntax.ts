import type MarkdownIt from "markdown-it";

type Parser = InstanceType<typeof MarkdownIt>;

/** Longer formulas stay text, in UTF-16 units. */
const MAX_FORMULA_CHARS = 2_000;

/** The delimiters of formulas. The longer one is tried first. */
const MARKS = [
  { open: "$$", close: "$$", isDisplay: true },
  { open: "$", close: "$", isDisplay: false },
  { open: "\\[", close: "\\]", isDisplay: true },
  { open: "\\(", close: "\\)", isDisplay: false },
] as const;
type Mark = (typeof MARKS)[number];

/** True if a formula that begins with `mark` stands on a line of its own. */
export function isDisplayMark(mark: string): boolean {
  return MARKS.some(({ open, isDisplay }) => open === mark && isDisplay);
}

/**
 * Teaches the parser formulas: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` as a line of their own. A formula that is not closed in its
 * paragraph is text, and so are sums of money. The tokens are `math`; `content` is the formula, `markup` the mark that it begins with, and
 * `info` its source.
 */
export function addMath(parser: Parser): void {
  parser.inline.ruler.before("escape", "math", (state, silent) => {
    const found = formulaAt(state.src, state.pos, state.posMax);
    if (found === undefined) return false;
    if (!silent) {
      const token = state.push("math", "", 0);
      token.content = found.tex;
      token.markup = found.mark.open;
      token.info = state.src.slice(state.pos, found.end);
    }
    state.pos = found.end;
    return true;
  });
  parser.block.ruler.before(
    "fence",
    "math",
    (state, startLine, endLine, silent) => {
      const first = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0);
      if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
      if (!MARKS.some(({ open, isDisplay }) => isDisplay && state.src.startsWith(open, first))) return false;
      const lastLine = lastLineOf(state, startLine, endLine);
      if (lastLine === undefined) return false;
      const source = state.getLines(startLine, lastLine, state.sCount[startLine] ?? 0, false).trim();
      const found = formulaAt(source, 0, source.length);
      if (found === undefined || !found.mark.isDisplay || found.end !== source.length) return false;
      if (silent) return true;
      state.line = lastLine;
      const token = state.push("math_block", "", 0);
      token.block = true;
      token.content = found.tex;
      token.markup = found.mark.open;
      token.info = source;
      token.map = [startLine, lastLine];
      return true;
    },
    { alt: ["paragraph", "reference", "blockquote", "list"] },
  );
  // Blocks are recognized by these characters.
  for (const type of ["math", "math_block"]) {
    parser.renderer.rules[type] = (tokens, index) => parser.utils.escapeHtml(tokens[index]?.info ?? "");
  }
}

interface Lines {
  readonly src: string;
  readonly bMarks: readonly number[];
  readonly eMarks: readonly number[];
  readonly tShift: readonly number[];
  readonly sCount: readonly number[];
  readonly blkIndent: number;
  isEmpty(line: number): boolean;
}

/** Returns the line after a formula that starts at the beginning of `startLine` and stops at the end of a line; undefined if there is none. */
function lastLineOf(state: Lines, startLine: number, endLine: number): number | undefined {
  const from = (state.bMarks[startLine] ?? 0) + (state.tShift[startLine] ?? 0) + 2;
  const close = state.src.startsWith("$$", from - 2) ? "$$" : "\\]";
  const end = closingAt(state.src, from, Math.min(state.src.length, from + MAX_FORMULA_CHARS + close.length), close);
  if (end === -1) return undefined;
  let line = startLine;
  while ((state.eMarks[line] ?? 0) < end) {
    line += 1;
    if (line >= endLine || state.isEmpty(line) || (state.sCount[line] ?? 0) < state.blkIndent) return undefined;
  }
  return state.src.slice(end + close.length, state.eMarks[line]).trim() === "" ? line + 1 : undefined;
}

/** The formula that begins at `at`, and where the text goes on behind it. */
function formulaAt(text: string, at: number, limit: number): { mark: Mark; tex: string; end: number } | undefined {
  const mark = MARKS.find(({ open }) => text.startsWith(open, at));
  if (mark === undefined) return undefined;
  const { open, close } = mark;
  if (open[0] === "$" && /[\w$\\]/.test(text[at - 1] ?? " ")) return undefined;
  const from = at + open.length;
  const until = closingAt(text, from, Math.min(limit, from + MAX_FORMULA_CHARS + close.length), close);
  if (until === -1) return undefined;
  const tex = text.slice(from, until);
  const end = until + close.length;
  if (tex.trim() === "" || (open === "$" && isProse(tex, text[end] ?? " "))) return undefined;
  return { mark, tex: tex.trim(), end };
}

/** Returns the index of the first `close` that no backslash escapes, or -1. */
function closingAt(text: string, from: number, limit: number, close: string): number {
  // A text may consist of marks that nothing closes. Scanning all characters after each mark would take seconds.
  if (!text.slice(from, limit).includes(close)) return -1;
  for (let at = from; at <= limit - close.length; at += 1) {
    if (text.startsWith(close, at)) return at;
    if (text[at] === "\\") at += 1;
  }
  return -1;
}

/** True if what stands between two dollars is not meant as a formula: amounts of money, names of variables, words between. */
function isProse(tex: string, next: string): boolean {
  if (/^\s|\s$/.test(tex) || /[\w$]/.test(next)) return true;
  return /^\d[\d.,]*\s+[a-z]{2,}/i.test(tex);
}
