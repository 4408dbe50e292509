import type { Block } from "./markdown.ts";
import { tokenNodes } from "./markdown-dom.ts";
import { morphNodes } from "./morph.ts";

/** A block on the page. */
export interface DrawnBlock {
  /** What it was drawn from, but for its parts. */
  html: string;
  nodes: ChildNode[];
  parts?: DrawnBlock[];
}

/**
 * Makes blocks that stand side by side look like `blocks`. Those that did not change stay, and the first that did grows in place.
 * @param drawn what stands there; changed in place.
 * @param put puts nodes behind all others.
 */
export function drawBlocks(
  drawn: DrawnBlock[],
  blocks: readonly Block[],
  put: (nodes: readonly ChildNode[]) => void,
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
    const added = build(block);
    drawn.push(added);
    put(added.nodes);
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
    drawBlocks(open, block.parts, (nodes) => inside.append(...nodes));
    for (const part of open) drawn.parts.push(part);
    return drawn;
  }
  const next = build(block);
  const counts = next.parts?.map(({ nodes }) => nodes.length);
  const nodes = morphNodes(drawn.nodes, next.nodes);
  return { html: block.html, nodes, ...(counts && { parts: partsIn(nodes, block.parts ?? [], counts) }) };
}

function build(block: Block): DrawnBlock {
  const nodes = [...tokenNodes(block.tokens).childNodes];
  if (block.parts === undefined) return { html: block.html, nodes };
  const parts = block.parts.map(build);
  insideOf(nodes)?.append(...parts.flatMap((part) => part.nodes));
  return { html: block.html, nodes, parts };
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
