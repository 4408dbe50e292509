import type { ItemView } from "../common/item-view.ts";
import { UNFOLD } from "./tool-groups.ts";

/** One match: on the page, or in a card that is closed. `nth` counts those of one card. */
interface Match {
  readonly view: ItemView;
  readonly range?: Range;
  readonly nth: number;
}

/** More matches than these are not counted. */
export const MAX_MATCHES = 2_000;

/** The matches, and the current one. */
export class Matches {
  readonly #find: () => readonly Match[];
  #all: readonly Match[] = [];
  #at = -1;

  /** @param find looks anew. */
  constructor(find: () => readonly Match[]) {
    this.#find = find;
  }

  get count(): number {
    return this.#all.length;
  }

  /** -1 before the first. */
  get at(): number {
    return this.#at;
  }

  get current(): Match | undefined {
    return this.#all[this.#at];
  }

  refresh(): void {
    this.#all = this.#find();
    this.#at = Math.min(this.#at, this.count - 1);
  }

  /** Goes to before the first. */
  leave(): void {
    this.#at = -1;
  }

  forget(): void {
    this.#all = [];
    this.leave();
    CSS.highlights.clear();
  }

  /** Shows on the page where the matches are. */
  mark(): void {
    const ranges = this.#all.flatMap(({ range }) => range ?? []);
    const current = this.current?.range;
    CSS.highlights.set("find", new Highlight(...ranges));
    CSS.highlights.set("find-current", new Highlight(...(current ? [current] : [])));
  }

  /** Goes on, or back, and from the last to the first. @returns whether there is anything to go to. */
  go(by: number): boolean {
    if (this.count === 0) return false;
    this.#at = (Math.max(this.#at, by < 0 ? 0 : -1) + by + this.count) % this.count;
    const match = this.current;
    match?.view.element.dispatchEvent(new CustomEvent(UNFOLD, { bubbles: true }));
    if (match !== undefined && match.range === undefined) this.#openCard(match);
    return true;
  }

  /** A closed card is opened, and its matches are then on the page. */
  #openCard({ view, nth }: Match): void {
    view.reveal?.();
    this.#all = this.#find();
    const first = this.#all.findIndex((match) => match.view === view);
    const count = this.#all.filter((match) => match.view === view).length;
    if (first !== -1) this.#at = first + Math.min(nth, count - 1);
    else this.#at = Math.min(this.#at, this.count - 1);
  }
}

/** Looks for words in items, also in what is folded away. Capitals do not matter. */
export function findAll(views: Iterable<ItemView>, words: string): Match[] {
  const pattern = new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu");
  const matches: Match[] = [];
  for (const view of views) {
    let nth = 0;
    for (const range of placesIn(view, pattern)) {
      matches.push({ view, nth, ...(range && { range }) });
      nth += 1;
      if (matches.length === MAX_MATCHES) return matches;
    }
  }
  return matches;
}

/** The matches of a view, in order; undefined for a match in collapsed content. */
function* placesIn(view: ItemView, pattern: RegExp): Generator<Range | undefined> {
  const ranges = rangesIn(view.element, pattern);
  const rest = view.hiddenBefore?.();
  const isInRest = ({ startContainer }: Range) => rest?.contains(startContainer) === true;
  yield* ranges.filter((range) => !isInRest(range));
  for (const _ of (view.hiddenText?.() ?? "").matchAll(pattern)) yield undefined;
  yield* ranges.filter(isInRest);
}

/** Returns the matches of `pattern` in the visible text of an element, also across its children. */
function rangesIn(root: Element, pattern: RegExp): Range[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: { node: Text; start: number }[] = [];
  let text = "";
  while (walker.nextNode()) {
    const { currentNode: node } = walker;
    if (!(node instanceof Text) || node.parentElement?.closest("[hidden], .visually-hidden")) continue;
    nodes.push({ node, start: text.length });
    text += node.data;
  }
  const ranges: Range[] = [];
  let index = 0;
  for (const match of text.matchAll(pattern)) {
    const [from, to] = [match.index, match.index + match[0].length];
    while (index + 1 < nodes.length && (nodes[index + 1]?.start ?? 0) <= from) index += 1;
    let last = index;
    while (last + 1 < nodes.length && (nodes[last + 1]?.start ?? 0) < to) last += 1;
    const [first, end] = [nodes[index], nodes[last]];
    if (first === undefined || end === undefined) continue;
    const range = document.createRange();
    range.setStart(first.node, from - first.start);
    range.setEnd(end.node, to - end.start);
    ranges.push(range);
  }
  return ranges;
}
