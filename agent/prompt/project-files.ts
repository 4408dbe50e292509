import { existsSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { looksSecret } from "../util/secret-files.ts";

/** Returns the folder and those above it up to the root of its repository; outside of a repository, only the folder. */
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
 * Returns why a file of a project must not go to the model: a link in the project may lead to a file of the user's, or to one with secrets.
 * @param path of the file, below `root`.
 * @param root the folder that the file has to lie in once links are followed.
 * @returns undefined for a file that may, and for one that is not there.
 */
export function whyNotOfProject(path: string, root: string): string | undefined {
  try {
    const way = relative(realpathSync(root), realpathSync(path));
    const isOutside = way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way);
    if (isOutside) return `${path} is left out because it leads outside ${root}.`;
    const isLink = way !== relative(root, path);
    return isLink && looksSecret(way) ? `${path} is left out: it leads to ${way}, which may hold secrets.` : undefined;
  } catch {
    return undefined;
  }
}
