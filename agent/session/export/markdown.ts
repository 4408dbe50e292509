import MarkdownIt from "markdown-it";
import type { Redact } from "../../util/redact.ts";
import { cleanText, type Html, type HtmlTag, trusted } from "./html.ts";
import { embedDataUrl } from "./images.ts";

/** Longer texts are shown unchanged: people don't read them, and unusual ones take long to parse. */
const MAX_MARKDOWN_CHARACTERS = 100_000;

const LINK = /^(?:https?|mailto):/i;

/** Converts a model's Markdown to markup without raw HTML, unsafe addresses and images from elsewhere. */
export function createMarkdown(html: HtmlTag, redact: Redact): (source: string) => Html {
  const parser = createParser(html);
  return (source) => {
    if (source.length > MAX_MARKDOWN_CHARACTERS) return html`<div class="plain" dir="auto">${source}</div>`;
    const markup = parser.render(cleanText(source, redact));
    // Again, because entities and escapes of the source are now plain characters.
    return trusted(`<div class="prose" dir="auto">${redact(markup)}</div>`);
  };
}

function createParser(html: HtmlTag) {
  const parser = new MarkdownIt({ html: false, linkify: true });
  // A bare word such as `readme.md` is far more often a file than a site.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  parser.validateLink = (url) => LINK.test(url) || embedDataUrl(url) !== undefined;
  parser.renderer.rules.link_open = (tokens, index) => {
    const target = String(tokens[index]?.attrGet("href") ?? "");
    return LINK.test(target) ? html`<a href="${target}" rel="noopener noreferrer" target="_blank">`.markup : "<a>";
  };
  parser.renderer.rules.image = (tokens, index) => {
    const source = String(tokens[index]?.attrGet("src") ?? "");
    const label = tokens[index]?.content || "image";
    const image = embedDataUrl(source);
    if (image !== undefined) return image.markup;
    return html`<a href="${source}" rel="noopener noreferrer" target="_blank">${label}</a>`.markup;
  };
  parser.renderer.rules.fence = (tokens, index) => html`<pre><code>${tokens[index]?.content}</code></pre>`.markup;
  return parser;
}
