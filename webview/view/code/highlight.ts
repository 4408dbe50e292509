import type { CodeColorer } from "../../late/contract.ts";
import { el } from "../common/dom.ts";
import { loadScript } from "../common/late-script.ts";
import { whenUnselected } from "../common/unselected.ts";
import { codeOf } from "./code-block.ts";
import { idleUntil } from "./idle.ts";

/** Longer code stays plain, in UTF-16 units: coloring it would be felt. */
const MAX_HIGHLIGHT_CHARS = 30_000;
/** Code with a longer line or a longer run of white space stays plain, too: the time for coloring grows with its square, or faster. */
const TOO_LONG_A_LINE = /[^\n]{1001}/;
const TOO_LONG_A_GAP = /\s{1001}/;

/** The work to do on an element after it got its colors. */
const afterwards = new WeakMap<HTMLElement, () => void>();
const waiting = new Set<HTMLElement>();
let isAsked = false;

/** Colors the finished code blocks below `root` when the page is idle. */
export function highlightLater(root: ParentNode & Node): void {
  const found = root instanceof Element && root.matches(".code-block") ? [root] : root.querySelectorAll(".code-block");
  for (const block of found) if (block instanceof HTMLElement) waiting.add(block);
  askForTime();
}

/** Colors the text of an element in a language when the page is idle. @param then is called when its nodes are new. */
export function colorLater(element: HTMLElement, language: string, then?: () => void): void {
  element.dataset.language = language;
  if (then !== undefined) afterwards.set(element, then);
  waiting.add(element);
  askForTime();
}

/** Waits until the page is idle, even before loading the highlighter, which would cause a noticeable delay while a response streams. */
function askForTime(): void {
  if (isAsked || waiting.size === 0) return;
  isAsked = true;
  requestIdleCallback((deadline) => (colorer === undefined ? loadColorer() : work(colorer, deadline)), {
    timeout: 500,
  });
}

let colorer: CodeColorer | undefined;

async function loadColorer(): Promise<void> {
  await loadScript("colors.js").catch(() => undefined);
  colorer = window.tillerColors;
  isAsked = false;
  // Code is readable without colors. The next block tries again.
  if (colorer === undefined) waiting.clear();
  askForTime();
}

/** @returns undefined when the language is unknown or the code too long. */
function highlighted(own: CodeColorer, code: string, language: string): DocumentFragment | undefined {
  const html = isTooMuch(code) ? undefined : own.color(code, language);
  return html === undefined ? undefined : spanNodes(html);
}

function isTooMuch(code: string): boolean {
  return code.length > MAX_HIGHLIGHT_CHARS || TOO_LONG_A_LINE.test(code) || TOO_LONG_A_GAP.test(code);
}

const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#x27;": "'" };

/** Makes spans and text of the HTML that the highlighter writes. It is taken apart here: whatever else stands in it stays text. */
function spanNodes(html: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const open: ParentNode[] = [fragment];
  for (const part of html.split(/(<span class="[\w .-]*">|<\/span>)/)) {
    const className = /^<span class="(.*)">$/.exec(part)?.[1];
    const parent = open.at(-1) ?? fragment;
    if (className !== undefined) {
      const span = el("span", className);
      parent.append(span);
      open.push(span);
    } else if (part !== "</span>") {
      if (part !== "")
        parent.append(part.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity));
    } else if (open.length > 1) {
      open.pop();
    }
  }
  return fragment;
}

function work(own: CodeColorer, deadline: IdleDeadline): void {
  isAsked = false;
  const until = idleUntil(deadline);
  for (const element of waiting) {
    waiting.delete(element);
    whenUnselected(element, () => color(own, element));
    if (performance.now() >= until) break;
  }
  askForTime();
}

function color(own: CodeColorer, element: HTMLElement): void {
  const isBlock = element.matches(".code-block");
  const body = isBlock ? element.querySelector("pre > code") : element;
  const code = isBlock ? codeOf(element) : element.textContent;
  const colored = body && highlighted(own, code, element.dataset.language ?? "");
  if (colored) {
    body.replaceChildren(colored);
    afterwards.get(element)?.();
  }
  element.dataset.colored = "";
}
