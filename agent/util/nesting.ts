/**
 * How many levels of lists and objects the values may have that models, tools, hosts and files bring. Copying and writing them, here and at
 * every reader, goes down level by level: a few thousand would be too many.
 */
export const MAX_NESTING = 200;

/** True when a value has more than `levels` levels of lists and objects. */
export function isNestedDeeper(value: unknown, levels = MAX_NESTING): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item: unknown) => isNestedDeeper(item, levels - 1));
}

/** The value itself, or, when it has more than `levels` levels, a copy with a note in place of what is deeper. */
export function clipNesting(value: unknown, levels = MAX_NESTING): unknown {
  return isNestedDeeper(value, levels) ? clip(value, levels) : value;
}

function clip(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "[left out: nested too deeply]";
  if (Array.isArray(value)) return value.map((item: unknown) => clip(item, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]: [string, unknown]) => [key, clip(item, levels - 1)]),
  );
}
