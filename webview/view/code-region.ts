import { el } from "./dom.ts";
import { highlighted } from "./highlight.ts";

/** A box of text in code font that can be scrolled with the keyboard. */
export function region(className: string, label: string, ...content: (Node | string)[]): HTMLElement {
  return el("pre", className, { tabindex: "0", role: "region", "aria-label": label }, content);
}

/** Code in the colours of its language; a diff in those of what is added and removed. */
export function codeRegion(label: string, code: string, language: string | undefined): HTMLElement {
  if (language === "diff") return diffRegion(code);
  return region("tool-input", label, highlighted(code, language ?? "") ?? code);
}

/**
 * A diff, coloured by the sign at the start of each line; the sign stays, so that colour is not all there is. Of what is the same above the
 * first change one line is shown.
 */
export function diffRegion(diff: string): HTMLElement {
  const lines = diff.replace(/\n$/, "").split("\n");
  const firstChange = lines.findIndex((line) => /^[+-]/.test(line));
  const shown = lines.slice(Math.max(0, firstChange - 1)).map((line) => {
    const kind = line.startsWith("+") ? " is-added" : line.startsWith("-") ? " is-removed" : "";
    return el("span", `diff-line${kind}`, {}, [`${line}\n`]);
  });
  return region("tool-diff", "Changes", ...shown);
}
