import { basename, dirname } from "node:path";
import { GitReader } from "../../changes/git-reader.ts";

/** What git ignores in a folder, as absolute paths of files and folders; nothing without git. */
export async function ignoredIn(folder: string): Promise<string[]> {
  return (await (await GitReader.open(folder))?.ignoredInside()) ?? [];
}

/** The paths that are not ignored, and those that are by a name that a glob says, such as `dist` of `dist/*.js`. */
export function wantedBy(glob: string, paths: readonly string[], ignored: readonly string[]): string[] {
  const names = new Set(glob.split(/[\\/{},]/));
  const hidden = new Set(ignored.filter((path) => !names.has(basename(path))));
  const isHidden = (path: string): boolean => hidden.has(path) || (dirname(path) !== path && isHidden(dirname(path)));
  return hidden.size === 0 ? [...paths] : paths.filter((path) => !isHidden(path));
}
