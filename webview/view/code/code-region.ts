import { t } from "../../l10n.ts";
import type { ChangedWords } from "../../protocol/items.ts";
import { el } from "../common/dom.ts";
import { diffLines } from "./diff-lines.ts";
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

/** A diff in a box that scrolls, so that no line wraps. @param path the file, whose name tells the language. */
export function diffRegion(diff: string, words: readonly ChangedWords[] = [], path = ""): HTMLElement {
  return region("tool-diff", t("Changes"), ...diffLines(diff, words, path));
}
