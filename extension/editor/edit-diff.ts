import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from "diff";

/** The two sides of an edit. `isWhole` says that they are the file itself, before and now. */
export interface Sides {
  readonly before: string;
  readonly after: string;
  readonly isWhole: boolean;
}

/**
 * Works out what a file was before an edit from what it is now. When it has changed too much since, the sides are the changed places alone.
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
    return []; // what a tool calls a patch may be anything
  }
}
