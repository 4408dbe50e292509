import { icon } from "../controls.ts";
import { el } from "./dom.ts";

/** A block of code with its language and a copy button. It is not coloured yet. */
export function codeBlock(code: string, language: string): HTMLElement {
  const copy = el("button", "code-copy", { type: "button", "aria-label": "Copy code", title: "Copy code" }, [
    icon("copy"),
  ]);
  const body = el("code", "", {}, [code]);
  const pre = el(
    "pre",
    "",
    { tabindex: "0", "aria-label": language === "" ? "Code" : `Code, ${language}`, role: "region" },
    [body],
  );
  const block = el("div", "code-block", {}, [
    el("div", "code-head", {}, [el("span", "code-language", {}, [language]), copy]),
    pre,
  ]);
  if (language !== "") block.dataset.language = language.toLowerCase();
  return block;
}

/** The code of a block as it was written. */
export function codeOf(block: Element): string {
  return block.querySelector("pre > code")?.textContent ?? "";
}

/** Copies the code of the block whose copy button is clicked, and says so on the button for a moment. */
export function interceptCopies(root: HTMLElement, copy: (text: string) => void): void {
  root.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest(".code-copy");
    const block = button?.closest(".code-block");
    if (!button || !block) return;
    copy(codeOf(block).replace(/\n$/, ""));
    button.setAttribute("aria-label", "Copied");
    button.firstElementChild?.classList.replace("codicon-copy", "codicon-check");
    setTimeout(() => {
      button.setAttribute("aria-label", "Copy code");
      button.firstElementChild?.classList.replace("codicon-check", "codicon-copy");
    }, COPIED_MS);
  });
}

const COPIED_MS = 1_500;
