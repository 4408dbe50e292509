import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { looksSecret } from "../util/secret-files.ts";

/** The folder and those above it up to the root of its repository; outside of a repository, only the folder. */
export function repositoryFolders(cwd: string): string[] {
  const folders = [cwd];
  for (let folder = cwd; !existsSync(join(folder, ".git")); ) {
    const parent = dirname(folder);
    if (parent === folder) return [cwd];
    folders.push(parent);
    folder = parent;
  }
  return folders;
}

/**
 * Says why a file that a project brings must not go to the model: whoever made the project could have put a link there to what is the user's.
 * @param root the folder that the file has to lie in once links are followed.
 * @returns undefined for a file that may, and for one that is not there.
 */
export function whyNotOfProject(path: string, root: string): string | undefined {
  try {
    const way = relative(realpathSync(root), realpathSync(path));
    const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
    if (isOutside) return `${path} is left out: it leads out of ${root}.`;
    return looksSecret(way) ? `${path} is left out: it leads to ${way}, which may hold secrets.` : undefined;
  } catch {
    return undefined;
  }
}
