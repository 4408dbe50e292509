import { addCode, openLastLine } from "../code/code-text.ts";
import { linkFilesLater } from "../code/file-links.ts";
import { highlightLater } from "../code/highlight.ts";
import { el, type Frame } from "../common/dom.ts";
import { drawDiagramsLater } from "./diagram.ts";
import { type DrawnBlock, drawBlocks } from "./drawn-blocks.ts";
import { drawFormulasLater } from "./formula.ts";
import { type Block, identityOf, parseBlocks } from "./markdown.ts";
import { MarkdownTail } from "./markdown-tail.ts";

/** The number of blocks in each part of a long text. Parts far from the screen are neither laid out nor drawn. */
const MAX_PART_BLOCKS = 24;

/** The time between two drawings: with the wait for a frame, three frames of most screens. The eye sees a steady flow. */
const REST_MS = 40;

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
 * last is drawn again, about twenty times a second, and an open code fence only grows. When the text is finished, blocks that a later line
 * changed after all (a link's address given below it) are corrected.
 */
export function markdownView(container: HTMLElement, frame: Frame): MarkdownView {
  let text = new GrowingText(container);
  const pace = withRests(frame, () => text.draw());
  return {
    append(added) {
      if (text.isFinished) text = new GrowingText(container, text.whole);
      text.append(added);
      pace();
    },
    set(whole, isStreaming) {
      if (whole !== text.whole || (isStreaming && text.isFinished)) {
        text = new GrowingText(container, whole);
        if (isStreaming) text.draw();
      }
      if (!isStreaming) text.finish();
    },
    finish: () => text.finish(),
  };
}

/** Returns a function that schedules a job for the next frame, or for the first one after the rest if the job has just run. */
function withRests(frame: Frame, job: () => void): () => void {
  let isWanted = false;
  let isResting = false;
  function work(): void {
    isWanted = false;
    isResting = true;
    job();
    setTimeout(rest, REST_MS);
  }
  function rest(): void {
    isResting = false;
    if (isWanted) frame.request(work);
  }
  return () => {
    isWanted = true;
    if (!isResting) frame.request(work);
  };
}

/** One text in its element, from its first piece to its end. */
class GrowingText {
  readonly #container: HTMLElement;
  readonly #tail = new MarkdownTail();
  /** The text since the last frame. */
  #fresh: string;
  /** The identities of the blocks that are complete. */
  #frozen: string[] = [];
  /** The blocks behind those, as they stand on the page. */
  #open: DrawnBlock[] = [];
  #fence: OpenFence | undefined;
  whole: string;
  isFinished = false;

  constructor(container: HTMLElement, text = "") {
    container.replaceChildren();
    this.#container = container;
    this.whole = this.#fresh = text;
  }

  append(text: string): void {
    this.whole += text;
    this.#fresh += text;
  }

  draw(): void {
    const text = this.#fresh;
    if (text === "") return;
    this.#fresh = "";
    this.#tail.add(text);
    if (this.#fence?.grow(text)) return;
    const blocks = this.#tail.parse();
    this.#drawOpen(blocks);
    const done = this.#tail.letGo(blocks);
    this.#freeze(done);
    const isFence = blocks.length - done === 1 && blocks[done]?.fence !== undefined;
    this.#fence = isFence ? openFence(this.#tail.source, this.#lastBlock()) : undefined;
    const [growing] = this.#open;
    // Text added to an open fence makes it differ from its HTML.
    if (this.#fence && growing) growing.html = "";
  }

  finish(): void {
    if (this.isFinished) return;
    this.isFinished = true;
    this.#fresh = "";
    const blocks = parseBlocks(this.whole);
    if (this.#frozen.some((identity, index) => !blocks[index] || identity !== identityOf(blocks[index]))) {
      this.#container.replaceChildren();
      this.#open = [];
      this.#frozen = [];
    }
    this.#drawOpen(blocks.slice(this.#frozen.length));
    this.#freeze(this.#open.length);
    this.#frozen = [];
    this.#fence = undefined;
  }

  #drawOpen(blocks: readonly Block[]): void {
    drawBlocks(this.#open, blocks, (block) => this.#partWithRoom().append(block));
    const { lastElementChild: part } = this.#container;
    if (part?.childElementCount === 0) part.remove();
  }

  #partWithRoom(): Element {
    const last = this.#container.lastElementChild;
    if (last && last.childElementCount < MAX_PART_BLOCKS) return last;
    return this.#container.appendChild(el("div", "part"));
  }

  #lastBlock(): Element | null {
    return this.#container.lastElementChild?.lastElementChild ?? null;
  }

  #freeze(count: number): void {
    for (const block of this.#open.splice(0, count)) {
      this.#frozen.push(identityOf(block));
      for (const node of block.nodes) if (node instanceof Element) dressLater(node);
    }
  }
}

/** Processes a complete block when the page is idle. */
function dressLater(block: Element): void {
  highlightLater(block);
  drawFormulasLater(block);
  drawDiagramsLater(block);
  linkFilesLater(block);
}

/** The code of a fence that is not closed yet. */
interface OpenFence {
  /** Adds text when it cannot hold the closing line. @returns whether it was added. */
  grow(text: string): boolean;
}

/**
 * Extends the code of a fence without parsing it again.
 * @param source the fence as far as it has come.
 * @param block the element that it was drawn as.
 */
function openFence(source: string, block: Element | null): OpenFence | undefined {
  const marker = /^(?:`{3,}|~{3,})/.exec(source)?.[0].slice(0, 3);
  const code = block?.querySelector("pre > code");
  if (marker === undefined || !code || !source.includes("\n")) return undefined;
  let carry = source.slice(-2);
  if (source.slice(source.lastIndexOf("\n") + 1).includes(marker[0] ?? "")) return undefined;
  if (!source.endsWith("\n")) openLastLine(code);
  return {
    grow(text) {
      if ((carry + text).includes(marker)) return false;
      carry = (carry + text).slice(-2);
      addCode(code, text);
      return true;
    },
  };
}
