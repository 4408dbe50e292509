import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { PathAccess, ToolPath } from "../../protocol/host-tools.ts";
import { locatePath } from "../../tools/builtin-paths.ts";
import type { ToolOrigin } from "../../tools/tool.ts";
import { resolvePath } from "../../util/paths.ts";
import { isWithin } from "./places.ts";

/** A path in the arguments of a call, unchanged. */
export interface NamedPath {
  path: string;
  access: PathAccess;
}

/** Operating systems don't accept longer paths. */
const MAX_PATH_LENGTH = 4096;
const MAX_PATHS = 1000;

/**
 * Returns the arguments of a call that its tool declares as paths; an omitted argument adds none.
 * @returns text that says why they cannot be read.
 */
export function namedPaths(args: unknown, declared: readonly ToolPath[]): NamedPath[] | string {
  const named: NamedPath[] = [];
  for (const { argument, access } of declared) {
    const values = valuesAt(args, argument);
    for (const value of values) {
      if (typeof value !== "string") return `${argument} is no path`;
      if (value === "") return "it names no path";
      if (value.length > MAX_PATH_LENGTH) return "the path is too long";
      named.push({ path: value, access });
    }
  }
  return named.length > MAX_PATHS ? "it names too many paths" : named;
}

/** Represents arguments that don't have the form that their tool declares. */
const NO_PATH = {};

/** Returns the values at `edits[].path` and the like. */
function valuesAt(args: unknown, argument: string): unknown[] {
  let values: unknown[] = [args];
  for (const step of argument.split(".")) {
    const isList = step.endsWith("[]");
    const name = isList ? step.slice(0, -2) : step;
    values = values.flatMap((value) => {
      if (typeof value !== "object" || value === null || value === NO_PATH) return [NO_PATH];
      const member: unknown = Reflect.get(value, name);
      if (!isList || member === undefined || member === null) return [member];
      return Array.isArray(member) ? member : [NO_PATH];
    });
    values = values.filter((value) => value !== undefined && value !== null);
  }
  return values;
}

/** Options for resolving a path of a call. */
interface Reader {
  tool: string;
  origin: ToolOrigin;
  cwd: string;
  /** All folders of the workspace. */
  folders: readonly string[];
}

/**
 * Returns the absolute paths that a path of a call may mean. The agent's own tools follow one rule. A host may follow
 * others: its folders have names, and a path may be a URL. The agent judges every possible meaning.
 * @returns at least one, the likeliest first.
 */
export async function meaningsOf(path: string, { tool, origin, cwd, folders }: Reader): Promise<string[]> {
  const own = await locatePath(tool, cwd, path);
  if (origin === "builtin") return [own];
  // A tool in place of a built-in one may take the path as it stands.
  if (origin === "extension") return [...new Set([own, resolvePath(cwd, path)])];
  const forms = [path, path.replaceAll("\\", "/"), ...pathOfUrl(path)].map((form) => resolve(cwd, form));
  const [first, ...below] = path.split(/[\\/]/);
  const inFolders = folders.slice(1).flatMap((folder) => {
    const inside = resolve(folder, ...below);
    return below.length > 0 && isWithin(folder, inside) ? [{ inside, isNamed: basename(folder) === first }] : [];
  });
  const isHere = forms.some((form) => existsSync(form));
  const likely = isHere ? [] : inFolders.filter(({ isNamed }) => isNamed);
  return [...new Set([...likely.map(({ inside }) => inside), ...forms, own, ...inFolders.map(({ inside }) => inside)])];
}

function pathOfUrl(text: string): string[] {
  if (!/^file:/i.test(text)) return [];
  try {
    return [fileURLToPath(text)];
  } catch {
    return [text.replace(/^file:\/*/i, "/")];
  }
}
