import type { Host } from "../../host.ts";
import { el } from "../common/dom.ts";
import { whenUnselected } from "../common/unselected.ts";
import { type FileName, findFileNames } from "./file-names.ts";
import { idleUntil } from "./idle.ts";

/** Most names that are asked about at once, and most answers that are remembered. */
const MAX_BATCH = 200;
const MAX_ANSWERS = 5_000;
/** The time after which a missing file is looked for again. */
const MAX_MISS_AGE_MS = 60_000;
/** Longer texts, in UTF-16 units, get no links. */
const MAX_TEXT_CHARS = 20_000;

type Answer = { readonly target: string } | { readonly missedAt: number };

/** A text on the page with names in it that may be files. */
interface Found {
  readonly node: Text;
  readonly names: readonly FileName[];
}

const answers = new Map<string, Answer>();
/** Texts whose names have been asked about, by name. */
const waiting = new Map<string, Set<Found>>();
const queue = new Set<Node>();
let host: Host | undefined;

/** Resolves file names. Without it, there are no links. */
export function connectFileLinks(to: Host): void {
  host = to;
}

/** Turns names of files below `root` into links when the page is idle. The text must not change any more. */
export function linkFilesLater(root: Node): void {
  if (host === undefined) return;
  queue.add(root);
  if (queue.size === 1) requestIdleCallback(work, { timeout: 1_000 });
}

/** Takes the host's answer: which names are files, and what they stand for. */
export function takeFiles(files: readonly { path: string; target: string | null }[]): void {
  for (const { path, target } of files) {
    answers.delete(path);
    answers.set(path, target === null ? { missedAt: Date.now() } : { target });
    const [oldest] = answers.keys();
    if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
  }
  const done = new Set<Found>();
  for (const { path } of files) {
    for (const found of waiting.get(path) ?? []) done.add(found);
    waiting.delete(path);
  }
  for (const found of done)
    if (found.names.every(({ path }) => !waiting.has(path))) whenUnselected(found.node, () => link(found));
}

function work(deadline: IdleDeadline): void {
  const until = idleUntil(deadline);
  const unknown = new Set<string>();
  for (const root of queue) {
    queue.delete(root);
    for (const found of textsWithNames(root)) {
      const open = found.names.filter(({ path }) => !isKnown(path));
      for (const { path } of open) {
        if (!waiting.has(path)) unknown.add(path);
        waiting.set(path, (waiting.get(path) ?? new Set()).add(found));
      }
      if (open.length === 0) whenUnselected(found.node, () => link(found));
    }
    if (performance.now() >= until) break;
  }
  const paths = [...unknown];
  for (let at = 0; at < paths.length; at += MAX_BATCH) {
    host?.post({ type: "findFiles", paths: paths.slice(at, at + MAX_BATCH) });
  }
  if (queue.size > 0) requestIdleCallback(work, { timeout: 1_000 });
}

function isKnown(path: string): boolean {
  const answer = answers.get(path);
  if (answer === undefined) return false;
  return "target" in answer || Date.now() - answer.missedAt < MAX_MISS_AGE_MS;
}

function textsWithNames(root: Node): Found[] {
  const found: Found[] = [];
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = root instanceof Text ? [root] : [];
  while (texts.nextNode()) if (texts.currentNode instanceof Text) nodes.push(texts.currentNode);
  for (const node of nodes) {
    if (node.length > MAX_TEXT_CHARS || node.parentElement?.closest("a, .code-block, .math, button")) continue;
    const names = findFileNames(node.data);
    if (names.length > 0) found.push({ node, names });
  }
  return found;
}

/** Puts links in place of the names that are files. From the end, so that the places before stay what they are. */
function link({ node, names }: Found): void {
  if (!node.isConnected) return;
  for (const name of [...names].reverse()) {
    const answer = answers.get(name.path);
    if (answer === undefined || !("target" in answer) || name.end > node.length) continue;
    const rest = node.splitText(name.start);
    rest.splitText(name.end - name.start);
    const line = name.line === undefined ? "" : `:${name.line}${name.column === undefined ? "" : `:${name.column}`}`;
    const title = `${answer.target}${line}`;
    rest.replaceWith(el("a", "file-link", { href: `${name.path}${line}`, title, draggable: "false" }, [rest.data]));
  }
}
