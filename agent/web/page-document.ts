import { Parser } from "htmlparser2";
import { parseHTML } from "linkedom";

/** An element or a text node of a page. */
export interface PageNode {
  readonly nodeName: string;
  readonly nodeType: number;
  readonly localName: string | null;
  readonly parentNode: PageNode | null;
  readonly childNodes: Iterable<PageNode>;
  readonly children: Iterable<PageNode>;
  readonly textContent: string;
  getAttribute(name: string): string | null;
  getElementsByTagName(name: string): Iterable<PageNode>;
  querySelectorAll(selector: string): Iterable<PageNode>;
  remove(): void;
}

/** A page as a tree. */
export interface PageDocument {
  readonly documentElement: PageNode | null;
  getElementsByTagName(name: string): Iterable<PageNode>;
}

/** Elements that readers don't see. They are removed with their content. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...["script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "audio", "video"],
  ...["button", "input", "select", "textarea", "dialog", "math"],
]);
const VOID: ReadonlySet<string> = new Set(["br", "hr", "img", "link", "meta", "base", "col", "wbr", "source"]);
const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...["id", "class", "role", "alt", "title", "lang", "start", "colspan", "name", "property", "content", "itemprop"],
  ...["data-lang", "data-language"],
]);
const INVISIBLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
/** The maximum depth of the tree; deeper elements are moved up. Real pages are flatter, and the conversion is recursive. */
const MAX_DEPTH = 150;

/**
 * Returns the HTML of a page as well-formed text: without hidden content, with absolute addresses, and with every element closed.
 */
export function wellFormedPage(html: string, address: string): string {
  const writer = new PageWriter(address);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => writer.open(name, attributes),
      onclosetag: (name) => writer.close(name),
      ontext: (text) => writer.text(text),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  parser.end(html);
  return writer.end();
}

/** Parses the result of `wellFormedPage`. */
export function readPage(html: string): PageDocument {
  return parseHTML(html).document;
}

class PageWriter {
  readonly #parts: string[] = ["<html>"];
  /** The open elements. An empty name stands for an element that isn't written. */
  readonly #open: string[] = [];
  #base: string;
  /** The depth of the element that is being removed with its content. */
  #leftOutFrom: number | undefined;

  constructor(address: string) {
    this.#base = address;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === "base") this.#base = this.#absolute(attributes.href) ?? this.#base;
    if (this.#leftOutFrom === undefined && isLeftOut(name, attributes)) this.#leftOutFrom = this.#open.length;
    const isWritten = this.#leftOutFrom === undefined && /^[a-z][a-z0-9-]*$/.test(name) && name !== "html";
    const isVoid = VOID.has(name);
    const isFlat = this.#open.length >= MAX_DEPTH && !isVoid;
    this.#open.push(isWritten && !isVoid && !isFlat ? name : "");
    if (isWritten && !isFlat) this.#parts.push(`<${name}${this.#attributes(attributes)}${isVoid ? "/" : ""}>`);
  }

  close(name: string): void {
    const open = this.#open.pop();
    if (open === name) this.#parts.push(`</${name}>`);
    if (this.#leftOutFrom === this.#open.length) this.#leftOutFrom = undefined;
  }

  text(text: string): void {
    if (this.#leftOutFrom === undefined) this.#parts.push(escapeText(text));
  }

  end(): string {
    return `${this.#parts.join("")}</html>`;
  }

  #attributes(attributes: Readonly<Record<string, string>>): string {
    const kept = Object.entries(attributes).filter(([name]) => KEPT_ATTRIBUTES.has(name));
    for (const name of ["href", "src"]) {
      const address = this.#absolute(attributes[name]);
      if (address !== undefined) kept.push([name, address]);
    }
    return kept.map(([name, value]) => ` ${name}="${escapeText(value)}"`).join("");
  }

  /** @returns undefined if it isn't a web address. */
  #absolute(address: string | undefined): string | undefined {
    if (address === undefined || !URL.canParse(address, this.#base)) return undefined;
    const { protocol, href } = new URL(address, this.#base);
    return ["http:", "https:", "mailto:"].includes(protocol) ? href : undefined;
  }
}

function isLeftOut(name: string, { hidden, style = "", ...attributes }: Readonly<Record<string, string>>): boolean {
  return LEFT_OUT.has(name) || hidden !== undefined || attributes["aria-hidden"] === "true" || INVISIBLE.test(style);
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ESCAPES[sign] ?? sign);
}
