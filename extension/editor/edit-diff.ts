import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from "diff";

/** The two sides of an edit. `isWhole` is true when they are the whole file, before the edit and now. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly isWhole: boolean;
}

/**
 * Computes a file before an edit from its present text. When it has changed too much since, the sides are only the edited places.
 * @param patch the edit as a unified diff. @param now the file, or undefined when it cannot be read.
 */
export function sidesOf(patch: string, now: string | undefined): Sides | undefined {
  const [parsed] = parse(patch);
  if (parsed === undefined || parsed.hunks.length === 0) return undefined;
  const text = now?.replaceAll("\r\n", "\n");
  const before = text === undefined ? false : applyPatch(text, reversePatch(parsed));
  if (text !== undefined && before !== false) return { before, after: text, isWhole: true };
  return placesOf(parsed);
}

/**
 * Returns a file before and after a proposed edit. When the edit no longer fits, both sides show only the edited places.
 * @param now the file, or undefined when there is none.
 */
export function sidesAhead(patch: string, now: string | undefined): Sides | undefined {
  const [parsed] = parse(patch);
  if (parsed === undefined || parsed.hunks.length === 0) return undefined;
  const before = (now ?? "").replaceAll("\r\n", "\n");
  const after = applyPatch(before, parsed);
  return after === false ? placesOf(parsed) : { before, after, isWhole: true };
}

function placesOf({ hunks }: StructuredPatch): Sides {
  const side = (left: string) =>
    hunks
      .map(({ lines }) =>
        lines.filter((line) => line.startsWith(" ") || line.startsWith(left)).map((line) => line.slice(1)),
      )
      .map((lines) => `${lines.join("\n")}\n`)
      .join("\n");
  return { before: side("-"), after: side("+"), isWhole: false };
}

function parse(patch: string): ReturnType<typeof parsePatch> {
  try {
    return parsePatch(patch);
  } catch {
    return []; // a tool may call anything a patch
  }
}
