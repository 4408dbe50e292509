import { isDeepStrictEqual } from "node:util";
import type { CacheRewrite } from "../protocol/cache-rewrite.ts";
import type { ToolSpec } from "../providers/provider.ts";

/** The maximum number of tools in a list of changes. */
const MAX_NAMES = 20;
const MAX_WORDED = 3;

/** True if requests declare both tools identically. */
export function isSameSpec(one: ToolSpec | undefined, other: ToolSpec): boolean {
  return (
    one !== undefined &&
    one.name === other.name &&
    one.description === other.description &&
    (one.parameters === other.parameters || isDeepStrictEqual(one.parameters, other.parameters))
  );
}

/** Compares the tools of two requests. @returns undefined if they are the same, in the same order. */
export function toolChanges(before: readonly ToolSpec[], after: readonly ToolSpec[]): CacheRewrite | undefined {
  const isSame = before.length === after.length && after.every((tool, at) => isSameSpec(before[at], tool));
  if (isSame) return undefined;
  const old = new Map(before.map((tool) => [tool.name, tool]));
  const names = new Set(after.map(({ name }) => name));
  const added = after.flatMap(({ name }) => (old.has(name) ? [] : [name]));
  const removed = before.flatMap(({ name }) => (names.has(name) ? [] : [name]));
  const changed = after.flatMap((tool) =>
    old.has(tool.name) && !isSameSpec(old.get(tool.name), tool) ? [tool.name] : [],
  );
  const words = [worded(added, "added"), worded(removed, "removed"), worded(changed, "changed")].filter(
    (text) => text !== "",
  );
  return {
    cause: "tools",
    reason: `tool list changed (${words.length === 0 ? "another order" : words.join("; ")})`,
    ...(added.length === 0 ? {} : { added: added.slice(0, MAX_NAMES) }),
    ...(removed.length === 0 ? {} : { removed: removed.slice(0, MAX_NAMES) }),
    ...(changed.length === 0 ? {} : { changed: changed.slice(0, MAX_NAMES) }),
  };
}

function worded(names: readonly string[], what: string): string {
  if (names.length === 0) return "";
  const more = names.length - MAX_WORDED;
  const listed = names.slice(0, MAX_WORDED).join(", ");
  return `${listed}${more > 0 ? ` and ${more} more` : ""} ${names.length === 1 ? "was" : "were"} ${what}`;
}
