import MarkdownIt from "markdown-it";
import type { Token } from "./markdown-dom.ts";
import { addMath } from "./math-syntax.ts";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
// Bare words such as `readme.md` or `main.rs` are files far more often than sites.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
addMath(markdown);
const acceptLink = markdown.validateLink;
markdown.validateLink = (url) => acceptLink(url) && !/^\s*command:/i.test(url);

/** One top-level block of a text. */
export interface Block {
  /** First line, 0-based. */
  line: number;
  tokens: readonly Token[];
  /** Tells it from other blocks; what is drawn is made of the tokens. */
  html: string;
  /** The open fence at the end of a text, whose code may still grow. */
  isFence: boolean;
}

/** Splits Markdown into its top-level blocks. Link definitions count for the whole `source`. */
export function parseBlocks(source: string): Block[] {
  const env: Record<string, unknown> = {};
  const tokens = markdown.parse(source, env);
  const blocks: Block[] = [];
  let start = 0;
  tokens.forEach((token, index) => {
    if (token.level !== 0 || token.nesting === 1) return;
    const group = tokens.slice(start, index + 1);
    start = index + 1;
    blocks.push(toBlock(group, env));
  });
  return blocks;
}

function toBlock(tokens: Token[], env: Record<string, unknown>): Block {
  const [first] = tokens;
  return {
    line: first?.map?.[0] ?? 0,
    tokens,
    html: markdown.renderer.render(tokens, markdown.options, env),
    isFence: first?.type === "fence",
  };
}
