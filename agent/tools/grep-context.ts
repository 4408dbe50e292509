import { join } from "node:path";
import type { GrepLine, GrepSearch } from "./grep-search.ts";

/**
 * Puts the lines around matches between them, each once, from files as `read` gives them.
 * @param matches in the order of the files and of the lines, without context.
 */
export async function* addContext(
  matches: AsyncIterable<GrepLine>,
  { root, context }: GrepSearch,
  read: (path: string) => Promise<string | undefined>,
): AsyncGenerator<GrepLine> {
  let previous: GrepLine | undefined;
  let lines: readonly string[] = [];
  const below = (match: GrepLine, end: number) =>
    toLines(match.path, lines, match.line + 1, Math.min(match.line + context, end));
  for await (const match of matches) {
    if (previous !== undefined) yield* below(previous, previous.path === match.path ? match.line - 1 : lines.length);
    if (previous?.path !== match.path) {
      lines = context === 0 ? [] : ((await read(join(root, match.path))) ?? "").split(/\r?\n/);
      previous = undefined;
    }
    const shownTo = previous === undefined ? 0 : previous.line + context;
    yield* toLines(match.path, lines, Math.max(shownTo + 1, match.line - context), match.line - 1);
    yield match;
    previous = match;
  }
  if (previous !== undefined) yield* below(previous, lines.length);
}

/** @param first and `last` are 1-based and both included. */
function toLines(path: string, lines: readonly string[], first: number, last: number): GrepLine[] {
  return lines
    .slice(first - 1, Math.max(first - 1, last))
    .map((text, index) => ({ path, line: first + index, text, isMatch: false }));
}
