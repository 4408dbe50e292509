import type { ChangedWords } from "../../protocol/items.ts";
import { el } from "../common/dom.ts";
import { colorLater } from "./highlight.ts";

const NUMBERED = /^([+ -])( *\d+ )/;
const SIGNED = /^([+-]|\s(?=.))()/;
/** Longer diffs have no syntax colors. */
const MAX_COLORED_LINES = 400;

/**
 * Returns the lines of a diff, colored by the sign at the start of each; the sign stays, so that color is not all there is. Of what is the same
 * above the first change one line is shown.
 * @param words what changed within lines.
 * @param path the file, whose name tells the language.
 */
export function diffLines(diff: string, words: readonly ChangedWords[], path: string): HTMLElement[] {
  const lines = diff.replace(/\n$/, "").split("\n");
  const firstShown = Math.max(0, lines.findIndex((line) => /^[+-]/.test(line)) - 1);
  const changes = new Map<number, ChangedWords[]>();
  for (const change of words) changes.set(change.line, [...(changes.get(change.line) ?? []), change]);
  const isNumbered = lines.every((line) => !/^[+-]/.test(line) || NUMBERED.test(line));
  const shown = lines.slice(firstShown);
  const language = shown.length > MAX_COLORED_LINES ? undefined : /\.(\w{1,12})$/.exec(path)?.[1]?.toLowerCase();
  return shown.map((line, index) => diffLine(line, changes.get(firstShown + index) ?? [], { isNumbered, language }));
}

function diffLine(
  line: string,
  changes: readonly ChangedWords[],
  { isNumbered, language }: { isNumbered: boolean; language: string | undefined },
): HTMLElement {
  const kind = line.startsWith("+") ? " is-added" : line.startsWith("-") ? " is-removed" : "";
  const [gutter = "", sign = "", number = ""] = (isNumbered ? NUMBERED : SIGNED).exec(line) ?? [];
  const code = el("span", "diff-code", {}, [line.slice(gutter.length)]);
  const mark = () => {
    for (const { start, end } of changes) markText(code, start - gutter.length, end - gutter.length);
  };
  mark();
  if (language !== undefined && code.textContent !== "") colorLater(code, language, mark);
  const parts = el("span", "diff-gutter", {}, [sign, el("span", "diff-number", {}, [number])]);
  return el("span", `diff-line${kind}`, {}, [parts, code, "\n"]);
}

/** Marks a part of the text of an element as changed, whatever elements the text is in. */
function markText(element: Element, start: number, end: number): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: { node: Text; from: number; to: number }[] = [];
  let at = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, node.length);
    if (from < to) found.push({ node, from, to });
    at += node.length;
  }
  for (const { node, from, to } of found) {
    if (to < node.length) node.splitText(to);
    const word = from > 0 ? node.splitText(from) : node;
    const mark = el("span", "diff-word");
    word.replaceWith(mark);
    mark.append(word);
  }
}
