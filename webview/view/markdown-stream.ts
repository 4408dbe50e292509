import type { Frame } from "./dom.ts";
import { highlightLater } from "./highlight.ts";
import { type Block, blockNodes, parseBlocks } from "./markdown.ts";

/** Markdown that may still be growing. */
export interface MarkdownView {
  append(text: string): void;
  /** Puts another text in place of the one that is there. */
  set(text: string, isStreaming: boolean): void;
  /** No more text will come. */
  finish(): void;
}

/**
 * Draws Markdown into `container`. Top-level blocks are drawn once and left alone as soon as a later one has begun; only the
 * last is drawn again, once a frame, and an open code fence only grows. When the text is finished, blocks that a later line
 * changed after all (a link's address given below it) are corrected.
 */
export function markdownView(container: HTMLElement, frame: Frame): MarkdownView {
  let whole = "";
  /** Everything from the start of the last block; what has come since the last frame is in `fresh`. */
  let tail = "";
  let fresh = "";
  let frozen: string[] = [];
  let tailNodes: ChildNode[] = [];
  let fence: OpenFence | undefined;

  function reset(): void {
    container.replaceChildren();
    whole = tail = fresh = "";
    frozen = [];
    tailNodes = [];
    fence = undefined;
  }

  function freeze(blocks: readonly Block[]): void {
    for (const node of tailNodes) node.remove();
    tailNodes = [];
    for (const block of blocks) {
      const nodes = blockNodes(block.html);
      const drawn = [...nodes.children];
      container.append(nodes);
      for (const element of drawn) highlightLater(element);
      frozen.push(block.html);
    }
  }

  function drawTail(): void {
    for (const node of tailNodes) node.remove();
    const nodes = document.createDocumentFragment();
    const blocks = parseBlocks(tail);
    for (const block of blocks) nodes.append(blockNodes(block.html));
    tailNodes = [...nodes.childNodes];
    container.append(nodes);
    fence = blocks.length === 1 && blocks[0]?.isFence ? openFence(tail, container.lastElementChild) : undefined;
  }

  function draw(): void {
    if (fresh === "") return;
    const text = fresh;
    fresh = "";
    tail += text;
    if (fence?.grow(text)) return;
    const complete = tail.slice(0, tail.lastIndexOf("\n") + 1);
    const blocks = complete === "" ? [] : parseBlocks(complete);
    const last = blocks.pop();
    if (last && blocks.length > 0) {
      freeze(blocks);
      tail = tail.slice(lineOffset(tail, last.line));
    }
    drawTail();
  }

  function finish(): void {
    fresh = "";
    const blocks = parseBlocks(whole);
    if (frozen.some((html, index) => html !== blocks[index]?.html)) {
      container.replaceChildren();
      tailNodes = [];
      frozen = [];
    }
    freeze(blocks.slice(frozen.length));
    tail = "";
    fence = undefined;
  }

  return {
    append(text) {
      whole += text;
      fresh += text;
      frame.request(draw);
    },
    set(text, isStreaming) {
      if (text !== whole) {
        reset();
        whole = fresh = text;
        if (isStreaming) draw();
      }
      if (!isStreaming) finish();
    },
    finish,
  };
}

/** The code of a fence that is not closed yet. */
interface OpenFence {
  /** Adds text when it cannot hold the closing line. @returns whether it was added. */
  grow(text: string): boolean;
}

function openFence(source: string, block: Element | null): OpenFence | undefined {
  const marker = /^(?:`{3,}|~{3,})/.exec(source)?.[0].slice(0, 3);
  const code = block?.querySelector("pre > code");
  if (marker === undefined || !code || !source.includes("\n")) return undefined;
  let carry = source.slice(-2);
  if (source.slice(source.lastIndexOf("\n") + 1).includes(marker[0] ?? "")) return undefined;
  const { firstChild } = code;
  const node = firstChild instanceof Text ? firstChild : code.appendChild(document.createTextNode(""));
  if (!source.endsWith("\n") && node.data.endsWith("\n")) node.deleteData(node.length - 1, 1);
  return {
    grow(text) {
      if ((carry + text).includes(marker)) return false;
      carry = (carry + text).slice(-2);
      node.appendData(text);
      return true;
    },
  };
}

/** Where the 0-based `line` of `text` begins. Lines end as Markdown says: at `\n`, `\r\n` or `\r`. */
function lineOffset(text: string, line: number): number {
  const ends = /\r\n?|\n/g;
  let offset = 0;
  for (let passed = 0; passed < line && ends.exec(text); passed += 1) offset = ends.lastIndex;
  return offset;
}
