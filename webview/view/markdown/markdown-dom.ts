import type MarkdownIt from "markdown-it";
import { t } from "../../l10n.ts";
import { codeBlock } from "../code/code-block.ts";
import { findFileNames } from "../code/file-names.ts";
import { el } from "../common/dom.ts";
import { formula } from "./formula.ts";
import { linkTarget } from "./links.ts";
import { isDisplayMark } from "./math-syntax.ts";

/** A piece of parsed Markdown. */
export type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

/** The elements that text may become. Everything else of what the parser finds is shown as text. */
const ELEMENTS = new Set(
  "p br hr h1 h2 h3 h4 h5 h6 strong em s code blockquote ul ol li a table thead tbody tr th td".split(" "),
);

/** Elements whose text determines its own direction. */
const DIRECTED = new Set("p h1 h2 h3 h4 h5 h6 blockquote ul ol table".split(" "));

/**
 * Makes nodes of parsed Markdown. They are built one by one, never from HTML, so nothing that a text says can become anything else than the
 * elements above.
 */
export function tokenNodes(tokens: readonly Token[]): DocumentFragment {
  const fragment = document.createDocumentFragment();
  addNodes(fragment, tokens);
  return fragment;
}

function addNodes(to: ParentNode, tokens: readonly Token[]): void {
  /** The parent of the next node: the innermost open element. */
  const open: ParentNode[] = [to];
  for (const token of tokens) {
    const parent = open.at(-1) ?? to;
    if (token.type === "inline") addNodes(parent, token.children ?? []);
    else if (token.type === "task") addTaskBox(parent, token.info === "x");
    else if (token.nesting === 1) open.push(openElement(token, parent));
    else if (token.nesting === -1) closeElement(token, open);
    else parent.append(...leaf(token));
  }
}

function openElement(token: Token, parent: ParentNode): ParentNode {
  // The paragraphs of a tight list are none.
  if (token.hidden || !ELEMENTS.has(token.tag)) return parent;
  const element = document.createElement(token.tag);
  if (element instanceof HTMLAnchorElement) dressLink(element, token);
  if (element instanceof HTMLOListElement) element.start = Number(token.attrGet("start") ?? 1);
  const align = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (align !== undefined) element.className = `align-${align}`;
  if (element instanceof HTMLTableElement) {
    parent.append(el("div", "table-scroller", { tabindex: "0", role: "group", "aria-label": t("Table") }, [element]));
  } else {
    parent.append(element);
  }
  return element;
}

function closeElement(token: Token, open: ParentNode[]): void {
  const closed = open.length > 1 ? open.pop() : undefined;
  // Not earlier: the browser would search the whole text for a letter again with each piece that is added.
  if (closed instanceof HTMLElement && DIRECTED.has(token.tag) && !token.hidden) closed.dir = "auto";
  if (token.block) open.at(-1)?.append("\n");
}

function leaf(token: Token): (Node | string)[] {
  switch (token.type) {
    case "fence":
    case "code_block": {
      const { language, file } = fenceInfo(token.info);
      return [codeBlock(token.content, language, file), "\n"];
    }
    case "code_inline":
      return [el("code", "", {}, [token.content])];
    case "math":
      return [formula(token.content, token.info, isDisplayMark(token.markup))];
    case "math_block":
      return [formula(token.content, token.info, true), "\n"];
    case "softbreak":
      return ["\n"];
    case "hardbreak":
      return [el("br", ""), "\n"];
    case "hr":
      return [el("hr", ""), "\n"];
    case "image":
      return [imageLink(token)];
    default:
      return [token.content];
  }
}

/** Draws the box of a task; it shows the state and cannot be changed. */
function addTaskBox(parent: ParentNode, isDone: boolean): void {
  const label = isDone ? t("Completed") : t("Not completed");
  const attributes = { type: "checkbox", disabled: "", "aria-label": label, ...(isDone ? { checked: "" } : {}) };
  parent.append(el("input", "task-box", attributes));
  if (parent instanceof Element) parent.closest("li")?.classList.add("is-task");
}

/** Shows a link in place of an image, which is never fetched. */
function imageLink(token: Token): HTMLElement {
  const label = token.content || "image";
  const source = String(token.attrGet("src") ?? "");
  if (!/^https?:/i.test(source)) return el("em", "", {}, [`[${label}]`]);
  return el("a", "", { href: source, title: source, draggable: "false" }, [t("Image: {0}", label)]);
}

function dressLink(link: HTMLAnchorElement, token: Token): void {
  const href = String(token.attrGet("href") ?? "");
  const title = token.attrGet("title");
  if (linkTarget(href) === undefined) {
    if (title !== null) link.title = String(title);
    return;
  }
  link.setAttribute("href", href);
  link.title = href;
  link.draggable = false;
}

/** The language that a fence names and the file that it says it is: `ts src/a.ts`, `src/a.ts` or `ts title="src/a.ts"`. */
function fenceInfo(info: string): { language: string; file: string } {
  const [first = "", ...rest] = info
    .trim()
    .slice(0, 500)
    .split(/[\s:]+/);
  const names = findFileNames(rest.join(" ")).map(({ path }) => path);
  const [own] = findFileNames(first).map(({ path }) => path);
  if (own === first && /[\\/]/.test(own)) return { language: /\.(\w+)$/.exec(own)?.[1] ?? "", file: own };
  return { language: first, file: names[0] ?? "" };
}
