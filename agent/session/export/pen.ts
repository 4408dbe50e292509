import type { ImageContent } from "../../protocol/content.ts";
import { PDF_TYPE } from "../../util/pdf.ts";
import type { Redact } from "../../util/redact.ts";
import { cleanText, createHtmlTag, type Html, type HtmlTag } from "./html.ts";
import { embedImage } from "./images.ts";
import { createMarkdown } from "./markdown.ts";

/** Safe ways to add content to a page. */
export interface Pen {
  html: HtmlTag;
  /**
   * Returns the first line of a text, cut to a length. Removes secrets before the cut, so that no part of one is left.
   */
  brief(text: string, maxCharacters: number): string;
  markdown(source: string): Html;
  /** Returns a text unchanged, line by line. */
  plain(text: string): Html;
  /** Code or output; the keyboard can scroll it. */
  code(text: string, label: string): Html;
  image(image: ImageContent): Html;
}

/** Creates the pen of a page. @param redact removes everything that must not be in it. */
export function createPen(redact: Redact): Pen {
  const html = createHtmlTag(redact);
  return {
    html,
    brief: (text, maxCharacters) => firstLine(cleanText(text, redact), maxCharacters),
    markdown: createMarkdown(html, redact),
    plain: (text) => html`<div class="plain" dir="auto">${text}</div>`,
    code: (text, label) => html`<pre tabindex="0" role="group" aria-label="${label}"><code>${text}</code></pre>`,
    image: ({ data, mimeType }) =>
      embedImage(data, mimeType) ??
      html`<p class="note">${mimeType === PDF_TYPE ? "A PDF" : `An image of the type ${mimeType}`} can't be shown.</p>`,
  };
}

function firstLine(text: string, maxCharacters: number): string {
  const [line = ""] = text.trimStart().split(/\r?\n/, 1);
  if (line.length <= maxCharacters) return line.trimEnd();
  return `${[...line.slice(0, 2 * maxCharacters)].slice(0, maxCharacters - 1).join("")}…`;
}
