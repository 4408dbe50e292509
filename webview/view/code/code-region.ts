import { t } from "../../l10n.ts";
import type { ChangedWords } from "../../protocol/items.ts";
import { el } from "../common/dom.ts";
import { colorLater } from "./highlight.ts";

/** A box of text in code font that can be scrolled with the keyboard. */
export function region(className: string, label: string, ...content: (Node | string)[]): HTMLElement {
  return el("pre", className, { tabindex: "0", role: "group", "aria-label": label }, content);
}

/** Code in the colors of its language; a diff in those of what is added and removed. */
export function codeRegion(label: string, code: string, language: string | undefined): HTMLElement {
  if (language === "diff") return diffRegion(code);
  const element = region("tool-input", label, code);
  if (language !== undefined) colorLater(element, language);
  return element;
}

/**
 * A diff, colored by the sign at the start of each line; the sign stays, so that color is not all there is. Of what is the same above the
 * first change one line is shown.
 * @param words what changed within lines.
 */
export function diffRegion(diff: string, words: readonly ChangedWords[] = []): HTMLElement {
  const lines = diff.replace(/\n$/, "").split("\n");
  const firstShown = Math.max(0, lines.findIndex((line) => /^[+-]/.test(line)) - 1);
  const changes = new Map<number, ChangedWords[]>();
  for (const change of words) changes.set(change.line, [...(changes.get(change.line) ?? []), change]);
  const shown = lines.slice(firstShown).map((line, index) => {
    const kind = line.startsWith("+") ? " is-added" : line.startsWith("-") ? " is-removed" : "";
    return el("span", `diff-line${kind}`, {}, [...marked(line, changes.get(firstShown + index) ?? []), "\n"]);
  });
  return region("tool-diff", t("Changes"), ...shown);
}

function marked(line: string, changes: readonly ChangedWords[]): (Node | string)[] {
  const parts: (Node | string)[] = [];
  let at = 0;
  for (const { start, end } of changes) {
    if (start < at) continue;
    parts.push(line.slice(at, start), el("span", "diff-word", {}, [line.slice(start, end)]));
    at = end;
  }
  return [...parts, line.slice(at)];
}
