/**
 * How many levels of lists and objects the values may have that models, tools, hosts and files bring. Copying and writing them, here and at
 * every reader, goes down level by level: a few thousand would be too many.
 */
export const MAX_NESTING = 200;

/** True when a value has more than `levels` levels of lists and objects; one that contains itself has. */
export function isNestedDeeper(value: unknown, levels = MAX_NESTING): boolean {
  /** With how many levels left each part was found to be no deeper: parts that are used often are looked at once. */
  const known = new Map<object, number>();
  const isDeeper = (part: unknown, left: number): boolean => {
    if (typeof part !== "object" || part === null || (known.get(part) ?? Number.POSITIVE_INFINITY) <= left)
      return false;
    if (left === 0 || readable(() => Object.values(part)).some((item: unknown) => isDeeper(item, left - 1)))
      return true;
    known.set(part, left);
    return false;
  };
  return isDeeper(value, levels);
}

/**
 * Returns the value itself or, when it has more than `levels` levels, a copy with a note in place of what is deeper. A value that contains
 * itself is returned as it is: whoever writes it says so.
 */
export function clipNesting(value: unknown, levels = MAX_NESTING): unknown {
  return isNestedDeeper(value, levels) && !isCircular(value) ? clip(value, levels) : value;
}

function clip(value: unknown, levels: number): unknown {
  /** The copies that are made with so many levels left. */
  const copies: Map<object, unknown>[] = [];
  const copy = (part: unknown, left: number): unknown => {
    if (typeof part !== "object" || part === null) return part;
    if (left === 0) return "[left out: nested too deeply]";
    copies[left] ??= new Map();
    const made = copies[left].get(part) ?? copyOf(part, (item) => copy(item, left - 1));
    copies[left].set(part, made);
    return made;
  };
  return copy(value, levels);
}

function copyOf(value: object, copy: (item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(
    readable(() => Object.entries(value)).map(([key, item]: [string, unknown]) => [key, copy(item)]),
  );
}

/** True when a value contains itself. Its depth does not matter: nothing calls itself here. */
function isCircular(value: unknown): boolean {
  const above = new Set<object>();
  const done = new Set<object>();
  const waiting: { part: object; isEnd: boolean }[] = [];
  const add = (part: unknown) => {
    if (typeof part === "object" && part !== null && !done.has(part)) waiting.push({ part, isEnd: false });
  };
  add(value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { part, isEnd } = next;
    if (isEnd) {
      above.delete(part);
      done.add(part);
    } else if (above.has(part)) return true;
    else if (!done.has(part)) {
      above.add(part);
      waiting.push({ part, isEnd: true });
      for (const item of readable(() => Object.values(part))) add(item);
    }
  }
  return false;
}

/** Returns no members where a getter throws: the writer of the value says so. */
function readable<Member>(members: () => Member[]): Member[] {
  try {
    return members();
  } catch {
    return [];
  }
}
