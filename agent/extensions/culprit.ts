import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { toSlashes } from "../util/paths.ts";

/** The directory of the agent's own code, with forward slashes. */
const OWN_FOLDER = toSlashes(dirname(fileURLToPath(import.meta.url)));

/** The place of a line of a stack, when it is in a file. */
const FILE_OF_LINE = /^\s*at .*?\(?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*):\d+:\d+\)?$/;

/**
 * The extension that an error comes from, of which nothing but the error is known.
 * @param paths of everything that was loaded.
 * @returns undefined when the error is the agent's own.
 */
export function culpritOf(error: unknown, paths: readonly string[]): string | undefined {
  if (paths.length === 0) return undefined;
  // On Windows, the loader of extensions writes their paths with forward slashes.
  const stack = toSlashes(error instanceof Error ? (error.stack ?? "") : "");
  const named = paths.find((path) => stack.includes(toSlashes(path)));
  if (named !== undefined) return named;
  const first = stack
    .split("\n")
    .map((line) => FILE_OF_LINE.exec(line)?.[1])
    .find((file) => file !== undefined);
  if (first?.replace(/^file:\/\/(?:\/(?=[A-Za-z]:))?/, "").startsWith(OWN_FOLDER)) return undefined;
  // A file that an extension brought along, or an error that never was in a file: the agent handles its own.
  return paths.find((path) => first?.includes(toSlashes(dirname(path)))) ?? "<extensions>";
}
