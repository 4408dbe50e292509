import { isAbsolute, relative, resolve, sep } from "node:path";

/** A folder of the workspace: its name in the editor and its absolute path. */
export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
  /** The path with links resolved; default `path`. */
  readonly real?: string | undefined;
}

/** Makes the names of folders unique: of several with the same name, later ones get a number, so that a path beginning with a name is clear. */
export function withOwnNames(folders: readonly WorkspaceFolder[]): WorkspaceFolder[] {
  const seen = new Map<string, number>();
  return folders.map(({ name, ...place }) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { name: count === 1 ? name : `${name}~${count}`, ...place };
  });
}

/**
 * Returns an absolute path as the editor names the file. An agent in a folder that was opened through a link knows only the link's target; to the
 * editor that would be another file, which is not open and has no unsaved changes.
 */
export function asOpened(path: string, folders: readonly WorkspaceFolder[]): string {
  const places = [
    ...folders.map((folder) => ({ root: folder.path, from: folder.path })),
    ...folders.map((folder) => ({ root: folder.path, from: folder.real ?? folder.path })),
  ];
  const place = places.find(({ from }) => isInside(path, from));
  return place === undefined ? path : resolve(place.root, relative(place.from, path));
}

/**
 * The absolute paths that `path` may mean, best first: as it is when absolute, else from the first folder (the session's), else, when its
 * first part names a folder of the workspace, from there. Empty when a relative path leads out of the workspace.
 */
export function possiblePaths(path: string, folders: readonly WorkspaceFolder[]): string[] {
  if (isAbsolute(path)) return [asOpened(resolve(path), folders)];
  const [first = "", ...rest] = path.split(/[\\/]/);
  const [session] = folders;
  const found = session === undefined ? [] : [{ root: session.path, path: resolve(session.path, path) }];
  for (const folder of folders) {
    if (folder.name === first) found.push({ root: folder.path, path: resolve(folder.path, ...rest) });
  }
  return found.filter((place) => isInside(place.path, place.root)).map((place) => place.path);
}

/**
 * Returns the place of a file that may not exist yet, or undefined outside the workspace. With several folders, a path that begins with the
 * name of one is relative to that one, as in the paths shown to people and models.
 */
export function placeOfNew(path: string, folders: readonly WorkspaceFolder[]): string | undefined {
  const places = possiblePaths(path, folders);
  return folders.length > 1 ? places.at(-1) : places[0];
}

/** Returns the path shown to people: relative to its workspace folder, with that folder's name when there are several. */
export function displayPath(path: string, folders: readonly WorkspaceFolder[]): string {
  const opened = asOpened(path, folders);
  const folder = folders.find((candidate) => isInside(opened, candidate.path));
  if (folder === undefined) return path;
  const inside = relative(folder.path, opened).split(sep).join("/");
  return folders.length > 1 ? `${folder.name}/${inside}` : inside;
}

function isInside(path: string, root: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
