import { isAbsolute, sep } from "node:path";
import type { WorkspaceFolder } from "../../../editor/workspace-path.ts";

/** A glob, and the absolute path of its base folder; without one, it applies to each folder of the window. */
interface GlobPlace {
  readonly base?: string;
  readonly glob: string;
}

/** Returns the places to search for a glob, which may be absolute, or begin with the name of a folder in a window of several. */
export function globPlaces(glob: string, folders: readonly WorkspaceFolder[]): GlobPlace[] {
  if (isAbsolute(glob)) {
    const inside = folders.flatMap(({ path, real = path }) => {
      const root = [path, real].find((place) => glob.startsWith(`${place}${sep}`));
      return root === undefined ? [] : [{ base: path, glob: glob.slice(root.length + 1) }];
    });
    return inside.length > 0 ? inside : [{ glob }];
  }
  if (folders.length < 2) return [{ glob }];
  const named = folders.filter(({ name }) => glob.startsWith(`${name}/`) && glob.length > name.length + 1);
  return [...named.map(({ name, path }) => ({ base: path, glob: glob.slice(name.length + 1) })), { glob }];
}
