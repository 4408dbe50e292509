import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { el } from "../common/dom.ts";
import { whenUnselected } from "../common/unselected.ts";
import { codeOf } from "./code-block.ts";
import { idleUntil } from "./idle.ts";

const languages = {
  bash,
  cpp,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};

/** Longer code stays plain, in UTF-16 units: colouring it would be felt. */
const MAX_HIGHLIGHT_CHARS = 30_000;
/** Code with a longer line or a longer run of white space stays plain, too: the time for colouring grows with its square, or faster. */
const TOO_LONG_A_LINE = /[^\n]{1001}/;
const TOO_LONG_A_GAP = /\s{1001}/;

const waiting = new Set<Element>();
let isAsked = false;
let isReady = false;

/** Colours finished code blocks below `root` when the page is idle. */
export function highlightLater(root: ParentNode & Node): void {
  const blocks = root instanceof Element && root.matches(".code-block") ? [root] : root.querySelectorAll(".code-block");
  for (const block of blocks) waiting.add(block);
  askForTime();
}

function askForTime(): void {
  if (isAsked || waiting.size === 0) return;
  isAsked = true;
  requestIdleCallback(work, { timeout: 500 });
}

/** Colours code at once. @returns undefined when the language is unknown or the code too long. */
export function highlighted(code: string, language: string): DocumentFragment | undefined {
  prepare();
  if (language === "" || !hljs.getLanguage(language) || isTooMuch(code)) return undefined;
  const html = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  return spanNodes(html);
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

function work(deadline: IdleDeadline): void {
  isAsked = false;
  const until = idleUntil(deadline);
  for (const block of waiting) {
    waiting.delete(block);
    whenUnselected(block, () => colour(block));
    if (performance.now() >= until) break;
  }
  askForTime();
}

function colour(block: Element): void {
  if (!(block instanceof HTMLElement)) return;
  const body = block.querySelector("pre > code");
  const coloured = body && highlighted(codeOf(block), block.dataset.language ?? "");
  if (coloured) body.replaceChildren(coloured);
  block.dataset.coloured = "";
}

function prepare(): void {
  if (isReady) return;
  isReady = true;
  for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
}
