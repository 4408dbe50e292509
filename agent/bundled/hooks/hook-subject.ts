import { createHash, type Hash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { toSlashes } from "../../util/paths.ts";
import type { HookSource, HookSubject } from "./hooks-parts.ts";
import { type Hook, placeOf } from "./read-hooks.ts";

/** Larger files are programs or data; only their size and time count. */
const MAX_BYTES = 1024 * 1024;
const SEPARATORS = /[\s`;|&()<>=,]+/;
const QUOTES = /["']/;
const PROJECT_VARIABLE = /\$\{?CLAUDE_PROJECT_DIR\}?/g;

/**
 * Returns what the user allows with the hooks of a file of the project: all of them, and the files of the project that their commands name,
 * as they are now.
 */
export function hookSubject(source: HookSource, hooks: readonly Hook[], cwd: string): HookSubject {
  const definition = hooks.map(({ event, matcher, command, timeoutMs, cwd: folder, env }) => [
    event,
    matcher,
    command,
    timeoutMs,
    folder ?? null,
    Object.entries(env).toSorted(),
  ]);
  const hash = createHash("sha256").update(JSON.stringify(definition));
  for (const path of new Set(hooks.flatMap((hook) => namedPaths(hook, cwd)))) addFile(hash, path, cwd);
  const commands = [...new Set(hooks.map(({ command }) => command))];
  return {
    kind: "hooks",
    name: toSlashes(relative(cwd, source.path)),
    hash: hash.digest("hex"),
    runs: commands.length === 1 ? (commands[0] ?? "") : `${commands.length} commands`,
    details: hooks.map((hook) => `${placeOf(hook)}: ${hook.command}${surroundingsOf(hook)}`),
  };
}

/** Returns the paths below the project that the words of a command could mean. */
function namedPaths({ command, cwd: folder = "" }: Hook, cwd: string): string[] {
  const parts = command.replaceAll(PROJECT_VARIABLE, cwd).split(QUOTES);
  // A quoted part may be a path with spaces, or the beginning of one: "$CLAUDE_PROJECT_DIR"/check.sh
  const words = [...parts, ...parts.join("").split(SEPARATORS)];
  const paths = words.filter((word) => word !== "").map((word) => resolve(cwd, folder, word));
  return paths.filter((path) => path.startsWith(`${cwd}/`) || path.startsWith(`${cwd}\\`));
}

function addFile(hash: Hash, path: string, cwd: string): void {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return;
    const content = stats.size > MAX_BYTES ? `${stats.size} ${stats.mtimeMs}` : readFileSync(path);
    hash.update(`\0${toSlashes(relative(cwd, path))}\0${stats.size}\0`).update(content);
  } catch {
    // a word that names no file, or none that may be read
  }
}

function surroundingsOf({ cwd, env }: Hook): string {
  const folder = cwd === undefined ? "" : ` in ${cwd}`;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return `${folder}${variables.length === 0 ? "" : ` with ${variables.join(" ")}`}`;
}
