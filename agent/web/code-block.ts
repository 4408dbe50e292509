import type { PageNode } from "./page-document.ts";

/** The class names that page generators use for the language. */
const LANGUAGE = /(?:^|\s)(?:(?:language|lang|highlight-source|highlight)-|sourceCode |brush: ?)([a-z][\w+#-]*)/i;
const NO_LANGUAGE: ReadonlySet<string> = new Set(["none", "default", "plaintext", "text", "plain"]);
const LEVELS_ABOVE = 3;
/** Elements with line numbers beside the code. */
const LINE_NUMBERS = /(?:^|\s)(?:linenos?|line-?numbers?|lineno|gutter|rouge-gutter|blob-num)(?:\s|$)/i;

/** Returns preformatted text as a code block with its language. */
export function codeBlock(element: PageNode): string {
  const code = textOf(element).replace(/^\n+|\s+$/g, "");
  const longest = Math.max(2, ...(code.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${languageOf(element)}\n${code}\n${fence}`;
}

function textOf(node: PageNode): string {
  if (node.nodeType === 3) return node.textContent;
  if (node.nodeName === "BR") return "\n";
  if (LINE_NUMBERS.test(node.getAttribute("class") ?? "")) return "";
  return [...node.childNodes].map(textOf).join("");
}

/** Returns the language from the class of the code element or of an element around it. */
function languageOf(element: PageNode): string {
  const inside = [...element.children].filter(({ nodeName }) => nodeName === "CODE");
  const around: PageNode[] = [];
  for (let node: PageNode | null = element; node?.nodeType === 1 && around.length <= LEVELS_ABOVE; ) {
    around.push(node);
    node = node.parentNode;
  }
  for (const node of [...inside, ...around]) {
    const named = node.getAttribute("data-lang") ?? node.getAttribute("data-language");
    const language = (named ?? LANGUAGE.exec(node.getAttribute("class") ?? "")?.[1])?.toLowerCase();
    if (language !== undefined) return NO_LANGUAGE.has(language) ? "" : language;
  }
  return "";
}
