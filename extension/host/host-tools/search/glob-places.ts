import { isAbsolute, sep } from "node:path";
import type { WorkspaceFolder } from "../../../editor/workspace-path.ts";

/** A glob, and the absolute path of the folder that it is relative to; without one, to each of the window. */
interface GlobPlace {
  readonly base?: string;
  readonly glob: string;
}

/** Where to look for the files that a glob means: files are named with their folder in front where there are several, or by where they are. */
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
