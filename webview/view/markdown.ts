import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { codeBlock } from "./code-block.ts";
import { findFileNames } from "./file-names.ts";
import { linkTarget } from "./links.ts";

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: false });
// Bare words such as `readme.md` or `main.rs` are files far more often than sites.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
const acceptLink = markdown.validateLink;
markdown.validateLink = (url) => acceptLink(url) && !/^\s*command:/i.test(url);

/** Pictures are never fetched: their place shows a link. */
markdown.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  const label = markdown.utils.escapeHtml(token?.content || "image");
  const source = String(token?.attrGet("src") ?? "");
  if (!/^https?:/i.test(source)) return `<em>[${label}]</em>`;
  return `<a href="${markdown.utils.escapeHtml(source)}">Image: ${label}</a>`;
};

/** A fence hands over its language and the file that it says it is: ```ts src/a.ts, ```src/a.ts or ```ts title="src/a.ts". */
markdown.renderer.rules.fence = (tokens, index) => {
  const token = tokens[index];
  const { language, file } = fenceInfo(markdown.utils.unescapeAll(token?.info ?? ""));
  const { escapeHtml } = markdown.utils;
  const named = file === "" ? "" : ` title="${escapeHtml(file)}"`;
  return `<pre><code class="language-${escapeHtml(language)}"${named}>${escapeHtml(token?.content ?? "")}</code></pre>\n`;
};

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

/** Cells say their alignment by class: inline styles are not let through. */
for (const rule of ["th_open", "td_open"]) {
  markdown.renderer.rules[rule] = (tokens, index, options, _env, self) => {
    const token = tokens[index];
    const align = /text-align:(\w+)/.exec(String(token?.attrGet("style") ?? ""))?.[1];
    if (token) token.attrs = align === undefined ? null : [["class", `align-${align}`]];
    return self.renderToken(tokens, index, options);
  };
}

type Token = ReturnType<typeof markdown.parse>[number];

/** One top-level block of a text. */
export interface Block {
  /** First line, 0-based. */
  line: number;
  html: string;
  /** The open fence at the end of a text, whose code may still grow. */
  isFence: boolean;
}

/** Splits Markdown into its top-level blocks, each as HTML. Link definitions count for the whole `source`. */
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
    html: markdown.renderer.render(tokens, markdown.options, env),
    isFence: first?.type === "fence",
  };
}

const ALLOWED_TAGS = [
  ..."p br hr h1 h2 h3 h4 h5 h6 strong em s code pre blockquote ul ol li a".split(" "),
  ..."table thead tbody tr th td".split(" "),
];

/** Turns a block's HTML into nodes of which only the allowed are left, with code blocks and links as the page wants them. */
export function blockNodes(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS,
    ALLOWED_ATTR: ["href", "title", "class", "start"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll("a")) dressLink(link);
  for (const pre of fragment.querySelectorAll("pre")) {
    const language = /\blanguage-([\w+#.-]+)/.exec(pre.firstElementChild?.className ?? "")?.[1] ?? "";
    const file = pre.firstElementChild?.getAttribute("title") ?? "";
    pre.replaceWith(codeBlock(pre.textContent ?? "", language, file));
  }
  for (const table of fragment.querySelectorAll("table")) {
    const scroller = document.createElement("div");
    scroller.className = "table-scroller";
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", "Table");
    table.replaceWith(scroller);
    scroller.append(table);
  }
  return fragment;
}

function dressLink(link: HTMLAnchorElement): void {
  const href = link.getAttribute("href") ?? "";
  const target = linkTarget(href);
  if (target === undefined) {
    link.removeAttribute("href");
    return;
  }
  link.title = href;
  link.draggable = false;
}
