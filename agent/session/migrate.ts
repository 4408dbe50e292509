import { SESSION_VERSION } from "../protocol/session-entries.ts";
import { entryId } from "../util/ids.ts";

/** A line of a session file before its shape was checked. */
export type RawEntry = Record<string, unknown>;

/**
 * Brings the entries of an older file to today's version: version 1 had no ids (the order was the tree), version 2 had messages of the role
 * `hookMessage`.
 * @param version the header's version; 1 when it has none.
 */
export function migrateEntries(version: number, entries: readonly RawEntry[]): RawEntry[] {
  if (version >= SESSION_VERSION) return [...entries];
  const linked = version < 2 ? linkInOrder(entries) : entries;
  return linked.map(renameHookMessage);
}

function linkInOrder(entries: readonly RawEntry[]): RawEntry[] {
  const ids = new Set<string>();
  const withIds = entries.map((entry) => {
    const id = entryId((candidate) => ids.has(candidate));
    ids.add(id);
    return { entry, id };
  });
  return withIds.map(({ entry, id }, index) => {
    const { firstKeptEntryIndex, ...rest } = entry;
    const parentId = withIds[index - 1]?.id ?? null;
    const timestamp = entry.timestamp ?? new Date(0).toISOString();
    const linked: RawEntry = { ...rest, id, parentId, timestamp };
    // The index counted lines of the file, the header being line 0.
    if (typeof firstKeptEntryIndex === "number") linked.firstKeptEntryId = withIds[firstKeptEntryIndex - 1]?.id ?? id;
    return linked;
  });
}

function renameHookMessage(entry: RawEntry): RawEntry {
  const { message } = entry;
  if (typeof message !== "object" || message === null) return entry;
  return Reflect.get(message, "role") === "hookMessage" ? { ...entry, message: { ...message, role: "custom" } } : entry;
}
