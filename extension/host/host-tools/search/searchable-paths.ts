import { realpath } from "node:fs/promises";
import { DeniedPaths } from "../../../../agent/util/denied-paths.ts";
import { looksSecret } from "../../../../agent/util/secret-files.ts";
import { displayPath, type WorkspaceFolder } from "../../../editor/workspace-path.ts";

interface SearchLimits {
  /** The folders of the workspace. */
  readonly folders: readonly WorkspaceFolder[];
  readonly home: string;
  /** Globs of files that no tool may read. */
  readonly denyRead: readonly string[];
}

/**
 * Returns the absolute paths that may be searched without asking. With links resolved, these files are in the workspace, have no name that
 * suggests secrets, and are not denied.
 */
export async function searchablePaths(
  paths: readonly string[],
  { folders, home, denyRead }: SearchLimits,
): Promise<ReadonlySet<string>> {
  const denied = new DeniedPaths(denyRead, { home, roots: folders.flatMap(({ path, real = path }) => [path, real]) });
  const isInside = (path: string) => displayPath(path, folders) !== path;
  const isFree = (path: string) => !looksSecret(displayPath(path, folders)) && !denied.has(path);
  const isSearchable = async (path: string) => {
    if (!isFree(path)) return false;
    const real = await realpath(path).catch(() => undefined);
    return real === path || (real !== undefined && isInside(real) && isFree(real));
  };
  const checked = await Promise.all(paths.map(async (path) => ((await isSearchable(path)) ? path : undefined)));
  return new Set(checked.filter((path) => path !== undefined));
}
