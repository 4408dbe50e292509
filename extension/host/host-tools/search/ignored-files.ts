import { basename, dirname } from "node:path";
import { GitReader } from "../../../../agent/changes/git-reader.ts";

/** Returns the absolute paths of files and folders that git ignores in a folder; none without git. */
export async function ignoredIn(folder: string): Promise<string[]> {
  return (await (await GitReader.open(folder))?.ignoredInside()) ?? [];
}

/** Returns the paths that are not ignored, and those ignored by a name that the glob contains, such as `dist` of `dist/*.js`. */
export function wantedBy(glob: string, paths: readonly string[], ignored: readonly string[]): string[] {
  const names = new Set(glob.split(/[\\/{},]/));
  const hidden = new Set(ignored.filter((path) => !names.has(basename(path))));
  const isHidden = (path: string): boolean => hidden.has(path) || (dirname(path) !== path && isHidden(dirname(path)));
  return hidden.size === 0 ? [...paths] : paths.filter((path) => !isHidden(path));
}
