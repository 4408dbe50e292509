import { AgentError } from "../protocol/errors.ts";
import type { KnownSessionEntry, SessionEntry, SessionTreeNode } from "../protocol/session-entries.ts";

/**
 * Returns the entries as a tree; an entry whose parent is missing is a root. Children are in the order they were added.
 */
export function buildTree(entries: readonly SessionEntry[], labels: ReadonlyMap<string, Label>): SessionTreeNode[] {
  const nodes = new Map(entries.map((entry) => [entry.id, toNode(entry, labels)]));
  const roots: SessionTreeNode[] = [];
  for (const node of nodes.values()) {
    const parent = node.entry.parentId === null ? undefined : nodes.get(node.entry.parentId);
    if (parent === undefined || parent === node) roots.push(node);
    else parent.children.push(node);
  }
  return roots;
}

/** The name of an entry. */
export interface Label {
  label: string;
  timestamp: string;
}

/** Returns the names after all label entries, by the id of the named entry. */
export function currentLabels(entries: Iterable<KnownSessionEntry>): Map<string, Label> {
  const labels = new Map<string, Label>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    if (entry.label) labels.set(entry.targetId, { label: entry.label, timestamp: entry.timestamp });
    else labels.delete(entry.targetId);
  }
  return labels;
}

/** Returns the entries abandoned by a move from one entry to another, each given by its path from the root. */
export function branchBetween(
  from: readonly SessionEntry[],
  to: readonly SessionEntry[],
): { commonAncestorId: string | null; left: SessionEntry[] } {
  const onTheWay = new Set(to.map(({ id }) => id));
  const at = from.findLastIndex(({ id }) => onTheWay.has(id));
  return { commonAncestorId: from[at]?.id ?? null, left: from.slice(at + 1) };
}

/**
 * Returns the entries that were added after the one with the id `since`, or all of them without it.
 * @throws AgentError unknown_since if the entry does not exist.
 */
export function entriesSince(entries: readonly SessionEntry[], since: string | undefined): SessionEntry[] {
  if (since === undefined) return [...entries];
  const at = entries.findIndex(({ id }) => id === since);
  if (at === -1) throw new AgentError("unknown_since", `Entry not found: ${since}`);
  return entries.slice(at + 1);
}

/**
 * Returns the last `limit` entries on the path from the root to the one with the id `before`, which is excluded, or,
 * without it, to the current entry, which is included.
 * @throws AgentError not_found if the entry does not exist.
 */
export function entriesBefore(
  conversation: { has(id: string): boolean; rawPath(leafId?: string): SessionEntry[] },
  before: string | undefined,
  limit: number = Number.POSITIVE_INFINITY,
): SessionEntry[] {
  if (before === undefined) return conversation.rawPath().slice(-limit);
  if (!conversation.has(before)) throw new AgentError("not_found", `Entry not found: ${before}`);
  return conversation.rawPath(before).slice(0, -1).slice(-limit);
}

function toNode(entry: SessionEntry, labels: ReadonlyMap<string, Label>): SessionTreeNode {
  const label = labels.get(entry.id);
  return {
    entry,
    children: [],
    ...(label === undefined ? {} : { label: label.label, labelTimestamp: label.timestamp }),
  };
}
