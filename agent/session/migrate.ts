import { entryId } from "../util/ids.ts";

/** A line of a session file before its form is checked. */
export type RawEntry = Record<string, unknown>;

/**
 * Updates the entries of an older file to the current version: version 1 had no ids (the order was the tree), version 2
 * had messages of the role `hookMessage`. @param version the header's version; 1 when it has none. @param lines the
 * values of the lines after the header; undefined for a lost line.
 */
export function migrateEntries(version: number, lines: readonly (RawEntry | undefined)[]): RawEntry[] {
  const linked = version < 2 ? linkInOrder(lines) : lines;
  return linked.filter((entry) => entry !== undefined).map(renameHookMessage);
}

function linkInOrder(lines: readonly (RawEntry | undefined)[]): RawEntry[] {
  const ids = new Set<string>();
  const withIds = lines.map((entry) => {
    const id = entryId((candidate) => ids.has(candidate));
    ids.add(id);
    return { entry, id };
  });
  let last: string | null = null;
  return withIds.flatMap(({ entry, id }) => {
    if (entry === undefined) return [];
    const { firstKeptEntryIndex, ...rest } = entry;
    const parentId = last;
    last = id;
    const timestamp = entry.timestamp ?? new Date(0).toISOString();
    const linked: RawEntry = { ...rest, id, parentId, timestamp };
    // The index counted lines of the file, the header being line 0.
    if (typeof firstKeptEntryIndex === "number")
      linked.firstKeptEntryId = firstFrom(withIds, firstKeptEntryIndex - 1) ?? id;
    return [linked];
  });
}

/** Returns the id of the first entry at or after a position. */
function firstFrom(lines: readonly { entry: RawEntry | undefined; id: string }[], place: number): string | undefined {
  for (const { entry, id } of lines.slice(Math.max(0, place))) {
    if (entry !== undefined) return id;
  }
  return undefined;
}

function renameHookMessage(entry: RawEntry): RawEntry {
  const { message } = entry;
  if (typeof message !== "object" || message === null) return entry;
  return Reflect.get(message, "role") === "hookMessage" ? { ...entry, message: { ...message, role: "custom" } } : entry;
}
