import { codeNodes } from "../code/code-text.ts";
import { morphNodes } from "../common/morph.ts";
import type { Block } from "./markdown.ts";
import { tokenNodes } from "./markdown-dom.ts";

/** A block on the page. */
export interface DrawnBlock {
  /** The source it was drawn from, without its parts. */
  html: string;
  nodes: ChildNode[];
  /** Of a fence: what stands behind its marks. */
  info?: string;
  parts?: DrawnBlock[];
}

/**
 * Makes blocks that stand side by side look like `blocks`. Those that did not change stay, and the first that did grows in place.
 * @param drawn what stands there; changed in place.
 * @param put puts a block behind all others.
 */
export function drawBlocks(
  drawn: DrawnBlock[],
  blocks: readonly Block[],
  put: (block: DocumentFragment) => void,
): void {
  let same = 0;
  while (same < drawn.length && looksLike(drawn[same], blocks[same])) same += 1;
  const [growing, ...stale] = drawn.splice(same);
  for (const { nodes } of stale) removeAll(nodes);
  const next = blocks[same];
  if (growing !== undefined && next !== undefined && growing.nodes.length > 0) {
    drawn.push(grow(growing, next));
    same += 1;
  } else if (growing !== undefined) removeAll(growing.nodes);
  for (const block of blocks.slice(same)) {
    const fragment = tokenNodes(block.tokens);
    drawn.push(fill(fragment, block));
    put(fragment);
  }
}

function removeAll(nodes: readonly ChildNode[]): void {
  for (const node of nodes) node.remove();
}

function looksLike(drawn: DrawnBlock | undefined, block: Block | undefined): boolean {
  if (drawn === undefined || block === undefined) return false;
  const { partsBefore, parts } = block;
  if (drawn.html !== block.html && partsBefore === 0) return false;
  const open = drawn.parts?.slice(partsBefore);
  return open?.length === parts?.length && (open ?? []).every(({ html }, index) => html === parts?.[index]?.html);
}

function grow(drawn: DrawnBlock, block: Block): DrawnBlock {
  const inside = insideOf(drawn.nodes);
  if (drawn.parts && block.parts && inside && (block.partsBefore > 0 || drawn.html === block.html)) {
    const open = drawn.parts.splice(block.partsBefore);
    drawBlocks(open, block.parts, (part) => inside.append(part));
    for (const part of open) drawn.parts.push(part);
    return drawn;
  }
  if (block.fence && block.fence.info === drawn.info) return growFence(drawn, block.html, block.fence.code);
  const next = fill(tokenNodes(block.tokens), block);
  const counts = next.parts?.map(({ nodes }) => nodes.length);
  const nodes = morphNodes(drawn.nodes, next.nodes);
  return { ...next, nodes, ...(counts && { parts: partsIn(nodes, block.parts ?? [], counts) }) };
}

/** Only the code differs; what is around it need not be made again to find that out. */
function growFence(drawn: DrawnBlock, html: string, code: string): DrawnBlock {
  const [block] = drawn.nodes;
  const element = block instanceof Element ? block.querySelector("pre > code") : null;
  if (element) morphNodes([...element.childNodes], codeNodes(code));
  return { ...drawn, html };
}

/** Puts the parts of a block into what was made of its tokens. */
function fill(fragment: DocumentFragment, block: Block): DrawnBlock {
  const { html, fence, parts: blocks } = block;
  const nodes = [...fragment.childNodes];
  if (fence) return { html, nodes, info: fence.info };
  if (blocks === undefined) return { html, nodes };
  const inside = insideOf(nodes);
  const directed = inside?.closest<HTMLElement>("[dir]");
  // Otherwise the browser would search the whole text for a letter again with each part.
  if (directed) directed.dir = "";
  const parts: DrawnBlock[] = [];
  drawBlocks(parts, blocks, (part) => inside?.append(part));
  if (directed) directed.dir = "auto";
  return { html, nodes, parts };
}

/** The element that holds the parts of a block. */
function insideOf([outside]: readonly ChildNode[]): Element | undefined {
  if (!(outside instanceof Element)) return undefined;
  return outside.matches("ul, ol, blockquote") ? outside : (outside.querySelector("tbody") ?? undefined);
}

/** The parts as they stand in a block that was made to look like another. */
function partsIn(nodes: readonly ChildNode[], parts: readonly Block[], counts: readonly number[]): DrawnBlock[] {
  const all = [...(insideOf(nodes)?.childNodes ?? [])];
  return parts.map(({ html }, index) => ({ html, nodes: all.splice(0, counts[index] ?? 0) }));
}
