import { drawDiagramsLater } from "./diagram.ts";
import { el, type Frame } from "./dom.ts";
import { linkFilesLater } from "./file-links.ts";
import { drawFormulasLater } from "./formula.ts";
import { highlightLater } from "./highlight.ts";
import { type Block, parseBlocks } from "./markdown.ts";
import { tokenNodes } from "./markdown-dom.ts";
import { morphNodes } from "./morph.ts";

/** A long text stands in parts of so many blocks, of which those far from the screen are neither laid out nor drawn. */
const MAX_PART_BLOCKS = 24;

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
  /** The blocks of the tail as they stand on the page. */
  let open: DrawnBlock[] = [];
  let fence: OpenFence | undefined;
  let isFinished = false;

  function reset(): void {
    container.replaceChildren();
    whole = tail = fresh = "";
    frozen = [];
    open = [];
    fence = undefined;
    isFinished = false;
  }

  /** Makes the blocks behind the frozen ones look like `blocks`. Those that did not change stay, and the first that did grows in place. */
  function drawOpen(blocks: readonly Block[]): void {
    let same = 0;
    while (same < open.length && open[same]?.html === blocks[same]?.html) same += 1;
    const [growing, ...stale] = open.splice(same);
    const next = blocks[same];
    for (const { nodes } of stale) for (const node of nodes) node.remove();
    if (growing !== undefined && next !== undefined && growing.nodes.length > 0) {
      open.push({ html: next.html, nodes: morphNodes(growing.nodes, [...tokenNodes(next.tokens).childNodes]) });
      same += 1;
    } else for (const node of growing?.nodes ?? []) node.remove();
    if (container.lastElementChild?.childElementCount === 0) container.lastElementChild.remove();
    for (const block of blocks.slice(same)) {
      const fragment = tokenNodes(block.tokens);
      open.push({ html: block.html, nodes: [...fragment.childNodes] });
      partWithRoom().append(fragment);
    }
  }

  function partWithRoom(): Element {
    const last = container.lastElementChild;
    if (last && last.childElementCount < MAX_PART_BLOCKS) return last;
    return container.appendChild(el("div", "part"));
  }

  function freeze(count: number): void {
    for (const block of open.splice(0, count)) {
      frozen.push(block.html);
      for (const node of block.nodes) {
        if (!(node instanceof Element)) continue;
        highlightLater(node);
        drawFormulasLater(node);
        drawDiagramsLater(node);
        linkFilesLater(node);
      }
    }
  }

  function draw(): void {
    if (fresh === "") return;
    const text = fresh;
    fresh = "";
    tail += text;
    if (fence?.grow(text)) return;
    const blocks = parseBlocks(tail);
    drawOpen(blocks);
    // A line that is not complete may still join the block before it, as `#` does when it turns out to be `#tag`.
    const done = Math.max(0, blocks.length - (tail.endsWith("\n") ? 1 : 2));
    if (done > 0) {
      freeze(done);
      tail = tail.slice(lineOffset(tail, blocks[done]?.line ?? 0));
    }
    fence = blocks.length - done === 1 && blocks[done]?.isFence ? openFence(tail, lastBlock()) : undefined;
    const [growing] = open;
    // What is added to an open fence makes it differ from the HTML that it was drawn from.
    if (fence && growing) growing.html = "";
  }

  function lastBlock(): Element | null {
    return container.lastElementChild?.lastElementChild ?? null;
  }

  function finish(): void {
    if (isFinished) return;
    isFinished = true;
    fresh = "";
    const blocks = parseBlocks(whole);
    if (frozen.some((html, index) => html !== blocks[index]?.html)) {
      container.replaceChildren();
      open = [];
      frozen = [];
    }
    drawOpen(blocks.slice(frozen.length));
    freeze(open.length);
    frozen = [];
    tail = "";
    fence = undefined;
  }

  function set(text: string, isStreaming: boolean): void {
    if (text !== whole || (isStreaming && isFinished)) {
      reset();
      whole = fresh = text;
      if (isStreaming) draw();
    }
    if (!isStreaming) finish();
  }

  return {
    append(text) {
      if (isFinished) set(whole, true);
      whole += text;
      fresh += text;
      frame.request(draw);
    },
    set,
    finish,
  };
}

/** A block on the page, and the HTML that it was drawn from. */
interface DrawnBlock {
  html: string;
  nodes: ChildNode[];
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
