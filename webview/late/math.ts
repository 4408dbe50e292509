import katex from "katex";
import type { Drawn } from "./contract.ts";

/** Most replacements of macros in one formula, and largest size that it may ask for, in em. */
const MAX_EXPANSIONS = 500;
const MAX_SIZE_EM = 20;

window.tillerFormulas = { draw };

/** KaTeX builds nodes one by one. Of what it knows nothing is trusted: no links, images, classes or styles of the formula's own. */
function draw(tex: string, isDisplay: boolean): Drawn<Element> {
  const holder = document.createElement("span");
  try {
    katex.render(tex, holder, {
      displayMode: isDisplay,
      output: "mathml",
      trust: false,
      strict: "ignore",
      throwOnError: true,
      maxExpand: MAX_EXPANSIONS,
      maxSize: MAX_SIZE_EM,
    });
  } catch (error) {
    return { ok: false, why: error instanceof katex.ParseError ? error.rawMessage : "It is too involved." };
  }
  const math = holder.querySelector("math");
  // Removes the source, which is invisible but would be found by searches.
  math?.querySelector("annotation")?.remove();
  return math === null ? { ok: false, why: "Nothing came of it." } : { ok: true, result: math };
}
