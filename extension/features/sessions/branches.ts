import { LabelEntry, type SessionEntry } from "../../../agent/protocol/session-entries.ts";
import { pathOf, promptOf } from "../../chat/session-entries.ts";

/** The end of a branch of a session, or a labeled entry in it. */
export interface Branch {
  /** The entry to go to. */
  readonly entryId: string;
  readonly label: string | undefined;
  /** The last message of the user up to it; empty without one. */
  readonly lastPrompt: string;
  /** The first message of the user that no earlier branch has; empty for the first branch. */
  readonly ownPrompt: string;
  /** Number of messages of user and model up to it. */
  readonly messageCount: number;
  /** The time of its last entry, Unix ms; NaN when that cannot be read. */
  readonly at: number;
  /** True when the conversation is at this entry. */
  readonly isHere: boolean;
}

/** Kinds of entries with content; all other entries belong to the one that they follow. */
const SAYING: ReadonlySet<string> = new Set(["message", "custom_message", "compaction", "branch_summary"]);

/** Lists the branches of a session and the labeled entries, the most recent first. */
export function branchesOf(entries: readonly SessionEntry[], leafId: string | null): Branch[] {
  const tree = sayingTree(entries);
  const labels = labelsOf(entries);
  const here = tree.sayingAt(leafId);
  const wanted = entries.filter(({ id }) => tree.isSaying(id) && (tree.isEnd(id) || id === here || labels.has(id)));
  const claimed = new Set<string>();
  const branches = wanted.map((entry): Branch => {
    const path = pathOf(entries, entry.id).filter(({ id }) => tree.isSaying(id));
    const prompts = path.flatMap((one) => promptOf(one) ?? []);
    const isEnd = tree.isEnd(entry.id);
    const own = isEnd && claimed.size > 0 ? prompts.find(({ entryId }) => !claimed.has(entryId)) : undefined;
    if (isEnd) for (const { id } of path) claimed.add(id);
    return {
      entryId: entry.id,
      label: labels.get(entry.id),
      lastPrompt: prompts.at(-1)?.text ?? "",
      ownPrompt: own?.text ?? "",
      messageCount: path.filter(isTalk).length,
      at: Date.parse(entry.timestamp),
      isHere: entry.id === here,
    };
  });
  return branches.reverse();
}

/** The tree of the entries with content, skipping all others. */
function sayingTree(entries: readonly SessionEntry[]) {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const sayingAt = (from: string | null): string | undefined => {
    const seen = new Set<string>();
    for (let id = from; id !== null && !seen.has(id); ) {
      seen.add(id);
      const entry = byId.get(id);
      if (entry === undefined) return undefined;
      if (SAYING.has(entry.type)) return id;
      id = entry.parentId;
    }
    return undefined;
  };
  const continued = new Set(entries.filter(({ type }) => SAYING.has(type)).map(({ parentId }) => sayingAt(parentId)));
  return {
    sayingAt,
    isSaying: (id: string) => SAYING.has(byId.get(id)?.type ?? ""),
    isEnd: (id: string) => !continued.has(id),
  };
}

/** Returns the labels of entries; the last one given counts. */
function labelsOf(entries: readonly SessionEntry[]): ReadonlyMap<string, string> {
  const labels = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type !== "label") continue;
    const { targetId, label } = LabelEntry.safeParse(entry).data ?? {};
    if (targetId === undefined) continue;
    if (label) labels.set(targetId, label);
    else labels.delete(targetId);
  }
  return labels;
}

function isTalk(entry: SessionEntry): boolean {
  if (entry.type !== "message" || !("message" in entry)) return false;
  const { message } = entry;
  return typeof message === "object" && message !== null && "role" in message
    ? message.role === "user" || message.role === "assistant"
    : false;
}
