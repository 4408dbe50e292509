import MarkdownIt from "markdown-it";
import type { Token } from "./markdown-dom.ts";
import { addMath } from "./math-syntax.ts";
import { addTasks } from "./task-syntax.ts";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
// Bare words such as `readme.md` or `main.rs` are files far more often than sites.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
addMath(markdown);
addTasks(markdown);
const acceptLink = markdown.validateLink;
markdown.validateLink = (url) => acceptLink(url) && !/^\s*command:/i.test(url);

/** One block of a text. */
export interface Block {
  /** First line, 0-based. */
  line: number;
  /** All of them, but those of its parts. */
  tokens: readonly Token[];
  /** Tells it from other blocks, but for its parts; what is drawn is made of the tokens. */
  html: string;
  /** Of a fence: what stands behind its marks, and its code. */
  fence?: { readonly info: string; readonly code: string };
  /** The items of a list, the blocks of a quote or the rows of a table. */
  parts?: readonly Block[];
  /** The number of parts left out of the source before these. */
  partsBefore: number;
}

/**
 * Splits Markdown into its top-level blocks. Link definitions count for the whole `source`.
 * @param options.isLoose whether a list at the start is one whose items are paragraphs, whatever its items here say.
 */
export function parseBlocks(source: string, { isLoose = false } = {}): Block[] {
  const env: Record<string, unknown> = {};
  const tokens = markdown.parse(source, env);
  if (isLoose) loosen(tokens);
  const toHtml = (some: Token[]) => markdown.renderer.render(some, markdown.options, env);
  return blocksAt(0, tokens).map((block) => toBlock(block, toHtml));
}

/** A text that is different for blocks that look different. */
export function identityOf({ html, parts = [] }: { html: string; parts?: readonly { html: string }[] }): string {
  return [html, ...parts.map((part) => part.html)].join("");
}

/** True if the items of a list are paragraphs; undefined if no item shows it. */
export function isLooseList({ parts = [] }: Block): boolean | undefined {
  const paragraphs = parts.flatMap(({ tokens }) => tokens.find(isParagraphOfItem) ?? []);
  return paragraphs[0] && !paragraphs[0].hidden;
}

function toBlock(tokens: Token[], toHtml: (tokens: Token[]) => string): Block {
  const [first] = tokens;
  const line = first?.map?.[0] ?? 0;
  const fence = first?.type === "fence" ? { info: first.info, code: first.content } : undefined;
  const inside = insideOf(tokens);
  if (inside === undefined) return { line, tokens, html: toHtml(tokens), partsBefore: 0, ...(fence && { fence }) };
  const { level, start, end } = inside;
  const outside = [...tokens.slice(0, start), ...tokens.slice(end)];
  const parts = blocksAt(level, tokens.slice(start, end)).map(
    (part): Block => ({
      line: part[0]?.map?.[0] ?? 0,
      tokens: part,
      html: toHtml(part),
      partsBefore: 0,
    }),
  );
  return { line, tokens: outside, html: toHtml(outside), parts, partsBefore: 0 };
}

/** Returns the ranges of a block's parts among its tokens. */
function insideOf(tokens: readonly Token[]): { level: number; start: number; end: number } | undefined {
  switch (tokens[0]?.type) {
    case "bullet_list_open":
    case "ordered_list_open":
    case "blockquote_open":
      return { level: 1, start: 1, end: tokens.length - 1 };
    case "table_open": {
      const body = tokens.findIndex(({ type }) => type === "tbody_open");
      return body === -1 ? undefined : { level: 2, start: body + 1, end: tokens.length - 2 };
    }
    default:
      return undefined;
  }
}

/** The tokens of each block that stands at a level. */
function blocksAt(level: number, tokens: Token[]): Token[][] {
  const blocks: Token[][] = [];
  let start = 0;
  tokens.forEach((token, index) => {
    if (token.level !== level || token.nesting === 1) return;
    blocks.push(tokens.slice(start, index + 1));
    start = index + 1;
  });
  return blocks;
}

function loosen(tokens: readonly Token[]): void {
  for (const token of tokens) {
    if (token.level === 0 && token.nesting === -1) return;
    if (isParagraphOfItem(token)) token.hidden = false;
  }
}

function isParagraphOfItem({ type, level }: Token): boolean {
  return level === 2 && (type === "paragraph_open" || type === "paragraph_close");
}
