import { type Problem, problemLine } from "./problem-words.ts";

/** The maximum number of listed new problems; the others are only counted. */
const MAX_NAMED = 10;

/**
 * Describes for the model how an edit changed the problems of the workspace; empty when there were none before and are none after. Problems are
 * compared by file and message, since an edit moves lines.
 */
export function verdict(before: readonly Problem[], after: readonly Problem[]): string {
  const introduced = without(after, before);
  const fixed = without(before, after).length;
  const same = after.length - introduced.length;
  if (introduced.length + fixed + same === 0) return "";
  const counts = `Problems after this edit: ${introduced.length} introduced, ${fixed} fixed, ${same} as before.`;
  const lines = introduced.slice(0, MAX_NAMED).map((problem) => `introduced ${problemLine(problem)}`);
  const rest = introduced.length - lines.length;
  if (rest > 0) lines.push(`(${rest} more)`);
  return [counts, ...lines].join("\n");
}

/** Returns the items of `some` that are not in `others`, where each occurrence counts. */
function without(some: readonly Problem[], others: readonly Problem[]): Problem[] {
  const left = new Map<string, number>();
  for (const problem of others) left.set(keyOf(problem), (left.get(keyOf(problem)) ?? 0) + 1);
  return some.filter((problem) => {
    const number = left.get(keyOf(problem)) ?? 0;
    left.set(keyOf(problem), number - 1);
    return number <= 0;
  });
}

function keyOf({ file, severity, message, origin }: Problem): string {
  return [file, severity, origin, message].join("\0");
}
