import TurndownService from "turndown/lib/turndown.browser.cjs.js";
import { codeBlock } from "./code-block.ts";
import type { PageNode } from "./page-document.ts";
import { tableText } from "./table-text.ts";

/** Symbols that link to the heading beside them. */
const PERMALINK = /^[\s#¶§🔗]*$/u;

/** Converts an element of a page to Markdown: headings, lists, code with its language, tables, links, and images. */
export function toMarkdown(element: PageNode): string {
  const service = new TurndownService({
    headingStyle: "atx",
    bulletListMarker: "-",
    codeBlockStyle: "fenced",
    hr: "---",
    emDelimiter: "*",
  });
  service.escape = (text) => text; // the reader is a model: names with underscores matter more than signs without a meaning
  service.addRule("code block", { filter: "pre", replacement: (_, node) => `\n\n${codeBlock(node)}\n\n` });
  service.addRule("table", {
    filter: "table",
    replacement: (content, node) => `\n\n${tableText(node) ?? content}\n\n`,
  });
  service.addRule("cell", { filter: isCell, replacement: (content) => `${content.trim()}\n\n` });
  service.addRule("link", { filter: "a", replacement: linkText });
  service.addRule("image", { filter: "img", replacement: (_, node) => imageText(node) });
  service.addRule("struck", { filter: ["del", "s"], replacement: (content) => `~~${content}~~` });
  return tidied(service.turndown(element));
}

function isCell({ nodeName }: PageNode): boolean {
  return nodeName === "TD" || nodeName === "TH";
}

function linkText(content: string, node: PageNode): string {
  const text = content.replace(/\s*\n\s*/g, " ").trim();
  const address = node.getAttribute("href");
  if (PERMALINK.test(text)) return "";
  return address ? `[${text}](${address})` : content;
}

function imageText(node: PageNode): string {
  const address = node.getAttribute("src");
  const words = node.getAttribute("alt")?.replace(/\s+/g, " ").trim() ?? "";
  return address && words !== "" ? `![${words}](${address})` : words;
}

function tidied(markdown: string): string {
  return markdown
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}
