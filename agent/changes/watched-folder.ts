import { realpath } from "node:fs/promises";
import { isSameEntry, readEntry } from "./file-content.ts";
import { FolderLook } from "./folder-look.ts";
import { GitReader } from "./git-reader.ts";
import { type ChangedFile, ShellBaselines } from "./shell-baselines.ts";
import { TreeWatch } from "./tree-watch.ts";
import { holdsHome } from "./within.ts";

/** Maximum number of ignored files that are remembered, and that are recorded of one command. */
const MAX_IGNORED = 200;

/** A folder of the workspace: what commands change in it, and what they could destroy. Reads and watches nothing before `prepare`. */
export class WatchedFolder {
  readonly #folder: string;
  #opened: Promise<Opened> | undefined;
  #isClosed = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Looks at the folder, and remembers what git does not have, once. Tries again when it failed. */
  async prepare(): Promise<void> {
    await this.#open();
  }

  /** Must be called before a command runs. @returns what must be called after it; that resolves to its changes. */
  async watch(): Promise<() => Promise<ChangedFile[]>> {
    const opened = await this.#open();
    const { watch, shell, git } = opened;
    await watch?.settled();
    if (watch?.takeDoubt() === true) shell.doubted((await git?.unclean()) ?? []);
    const commit = await git?.head();
    const end = await shell.watch();
    return async () => {
      await watch?.settled();
      if (watch?.takeDoubt() === true) shell.doubted(await differences(opened, commit));
      return end();
    };
  }

  /** Returns the real path of the folder; undefined for one that is not watched because it is too wide. */
  async watched(): Promise<string | undefined> {
    return (await this.#open()).watched;
  }

  /** Notes a recorded change of any call. */
  async recorded(change: ChangedFile): Promise<void> {
    await (await this.#opened)?.shell.recorded(change);
  }

  /** Ends the watch. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const opened = await this.#opened?.catch(() => undefined);
    await opened?.watch?.close();
  }

  #open(): Promise<Opened> {
    this.#opened ??= openFolder(this.#folder, () => this.#isClosed).catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }
}

interface Opened {
  readonly shell: ShellBaselines;
  /** Undefined for a folder that is too wide, such as the user's home: only files that calls name are recorded there. */
  readonly watch: TreeWatch | undefined;
  readonly git: GitReader | undefined;
  readonly watched: string | undefined;
}

async function differences({ git }: Opened, commit: string | undefined): Promise<string[]> {
  const tracked = commit === undefined ? [] : await git?.differingFrom(commit);
  return [...(tracked ?? []), ...((await git?.unclean()) ?? [])];
}

async function openFolder(given: string, isClosed: () => boolean): Promise<Opened> {
  const folder = await realpath(given);
  const isTooWide = await holdsHome(folder);
  const git = isTooWide ? undefined : await GitReader.open(folder);
  const look = isTooWide ? undefined : await FolderLook.at(folder, new Set(await git?.ignoredPaths()));
  const ignored = look?.ignoredFiles.slice(0, MAX_IGNORED) ?? [];
  const shell: ShellBaselines = new ShellBaselines({
    folder,
    git: git && withUnclean(git, ignored),
    first: look ?? { entryAt: () => undefined, stampOf: () => undefined, pathsIn: () => [] },
    maxIgnored: MAX_IGNORED,
    leaveOut: (paths) => watch?.leaveOut(paths),
    read: readEntry,
    listFiles: async (limit) => look?.files(limit),
  });
  const watch: TreeWatch | undefined =
    look &&
    new TreeWatch(look, {
      touched: (path) => shell.touched(path),
      touchedFolder: (path) => shell.touchedFolder(path),
    });
  await watch?.open();
  await shell.prepare();
  if (isClosed()) await watch?.close();
  return { shell, watch, git, watched: isTooWide ? undefined : folder };
}

/** Returns a reader that counts some ignored files among those that git does not have. */
function withUnclean(git: GitReader, ignored: readonly string[]) {
  return {
    unclean: async () => {
      const unclean = await git.unclean(); // once more: files may have been changed before they were watched
      return unclean && [...unclean, ...ignored];
    },
    covers: (path: string) => git.covers(path),
    head: () => git.head(),
    contentsAt: (...args: Parameters<GitReader["contentsAt"]>) => git.contentsAt(...args),
    filesIn: (...args: Parameters<GitReader["filesIn"]>) => git.filesIn(...args),
    ignored: (...args: Parameters<GitReader["ignored"]>) => git.ignored(...args),
  };
}

/** Several folders that are watched as one. */
export class WatchedFolders {
  readonly #folders: readonly WatchedFolder[];

  constructor(folders: readonly string[]) {
    this.#folders = [...new Set(folders)].map((folder) => new WatchedFolder(folder));
  }

  async prepare(): Promise<void> {
    await Promise.all(this.#folders.map((folder) => folder.prepare()));
  }

  async watch(): Promise<() => Promise<ChangedFile[]>> {
    const ends = await Promise.all(this.#folders.map((folder) => folder.watch()));
    return async () => {
      const changed = new Map<string, ChangedFile>();
      for (const file of (await Promise.all(ends.map((end) => end()))).flat()) changed.set(file.path, file);
      return [...changed.values()].filter(({ before, after }) => !isSameEntry(before, after));
    };
  }

  /** Returns the real paths of the folders that are watched. */
  async watched(): Promise<string[]> {
    const paths = await Promise.all(this.#folders.map((folder) => folder.watched()));
    return paths.filter((path) => path !== undefined);
  }

  async recorded(change: ChangedFile): Promise<void> {
    await Promise.all(this.#folders.map((folder) => folder.recorded(change)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#folders.map((folder) => folder.close()));
  }
}
