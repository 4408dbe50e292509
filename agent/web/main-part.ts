import { Readability } from "@mozilla/readability";
import { type PageDocument, type PageNode, readPage } from "./page-document.ts";

/** Selects the parts of a page around its content. */
const AROUND =
  "nav, footer, aside, [role=navigation], [role=banner], [role=contentinfo], [role=search], [role=complementary]";
/** The minimum text of a page's main part, in UTF-16 units. */
const MIN_TEXT = 200;

/**
 * Returns the element with the content of a page: the one that the page marks as such, because it is complete; otherwise the result of the reader
 * mode, or the body.
 */
export function mainPart(html: string): PageNode | undefined {
  const page = readPage(html);
  const marked = largest(markedParts(page));
  if (marked !== undefined && lengthOf(marked) >= MIN_TEXT) return withoutSurroundings(marked);
  // The reader mode modifies the tree.
  const article = new Readability(readPage(html), { keepClasses: true, serializer: asNode }).parse()?.content;
  if (article && lengthOf(article) >= MIN_TEXT) return article;
  const [body = page.documentElement] = page.getElementsByTagName("body");
  return body === null ? undefined : withoutSurroundings(body);
}

function asNode(node: PageNode): PageNode {
  return node;
}

function markedParts(page: PageDocument): PageNode[] {
  const main = [...page.getElementsByTagName("main")];
  const byRole = [...page.getElementsByTagName("div")].filter((element) => element.getAttribute("role") === "main");
  const parts = [...main, ...byRole];
  const articles = [...page.getElementsByTagName("article")];
  return parts.length > 0 ? parts : articles.length === 1 ? articles : [];
}

function largest(parts: readonly PageNode[]): PageNode | undefined {
  return parts.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
}

function lengthOf({ textContent }: PageNode): number {
  return textContent.trim().length;
}

function withoutSurroundings(part: PageNode): PageNode {
  for (const element of part.querySelectorAll(AROUND)) element.remove();
  return part;
}
