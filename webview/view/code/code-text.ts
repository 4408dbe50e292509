import { el } from "../common/dom.ts";

/**
 * Long code stands in parts of so many lines. The browser lays out a whole part when something is added to it, and with all code in one
 * that would take longer with each line.
 */
const PART_LINES = 64;

/** Returns the content of a code block's element. */
export function codeNodes(code: string): ChildNode[] {
  return inParts(code).map((part, index) => (index === 0 ? document.createTextNode(part) : codePart(part)));
}

/** Adds to code that `codeNodes` has made. */
export function addCode(code: Element, text: string): void {
  const last = lastText(code);
  const [grown = "", ...parts] = inParts(last.data + text);
  last.appendData(grown.slice(last.length));
  code.append(...parts.map(codePart));
}

/** Takes away the line end that the parser puts behind code whose last line is not complete. */
export function openLastLine(code: Element): void {
  const last = lastText(code);
  if (last.data.endsWith("\n")) last.deleteData(last.length - 1, 1);
}

function lastText(code: Element): Text {
  const { lastChild } = code;
  const text = lastChild instanceof Element ? lastChild.firstChild : lastChild;
  return text instanceof Text ? text : code.appendChild(document.createTextNode(""));
}

function codePart(code: string): HTMLElement {
  return el("span", "code-part", {}, [code]);
}

function inParts(code: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let end = partEnd(code, 0); end < code.length; end = partEnd(code, start)) {
    parts.push(code.slice(start, end));
    start = end;
  }
  return [...parts, code.slice(start)];
}

function partEnd(code: string, start: number): number {
  let end = start;
  for (let line = 0; line < PART_LINES; line += 1) {
    end = code.indexOf("\n", end) + 1;
    if (end === 0) return code.length;
  }
  return end;
}
