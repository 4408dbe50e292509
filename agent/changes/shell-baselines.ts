import { dirname } from "node:path";
import {
  type FileBytes,
  type FileContent,
  isBytes,
  isGone,
  isLink,
  isSameContent,
  isSameEntry,
} from "./file-content.ts";
import { saysAttributes } from "./git-attributes.ts";
import type { GitReader } from "./git-reader.ts";
import { PackedContents } from "./packed-contents.ts";
import { inPieces } from "./pieces.ts";
import { type Standing, standings } from "./standing.ts";
import { isFileOf } from "./within.ts";

/**
 * Maximum number of remembered files: those that git doesn't have, or, without git, all files of the folder. A larger
 * folder has no remembered files.
 */
const MAX_FILES = 2_000;

/** Maximum number of files in folders that a command deletes or renames; with `first`, which knows them at once. */
const MAX_INSIDE = 50_000;

/** Maximum number of files read at a time. */
const FILES_AT_ONCE = 10;

/** What was found in the folder when it was looked at first. */
interface FirstLook {
  /** Returns a folder or link as it was; undefined for anything else. */
  entryAt(path: string): FileContent | undefined;
  /** Returns the permissions and time of a file as they were; undefined when unknown. */
  stampOf(path: string): Pick<FileBytes, "mode" | "mtimeMs"> | undefined;
  /** Returns all known paths below a folder. */
  pathsIn(folder: string): Iterable<string>;
}

interface ShellPorts {
  /** The folder that commands run in. */
  readonly folder: string;
  /** Undefined where there is no git. */
  readonly git: Pick<GitReader, "covers" | "head" | "unclean" | "contentsAt" | "filesIn" | "ignored"> | undefined;
  /** Given when `read` returns links and folders, too. */
  readonly first?: FirstLook | undefined;
  /** Number of files of one command that are recorded although git ignores them; with more, none of them is. Default 0. */
  readonly maxIgnored?: number | undefined;
  /** Called with ignored files and folders that are too many to be recorded. */
  leaveOut?(paths: Iterable<string>): void;
  /** Lists the paths of the files in the folder; undefined when there are more than `limit`. Never called where there is git. */
  listFiles(limit: number): Promise<readonly string[] | undefined>;
  read(path: string): Promise<FileContent>;
}

/** A running command. */
interface ShellRun {
  /** The start of the command, as Unix time in ms. */
  readonly at: number;
  readonly isEditorAction: boolean;
  readonly commit: string | undefined;
}

/** Knowledge about a file that needs no look at the file itself. */
interface Sight {
  /** The content in the commit that was checked out. */
  readonly committed?: FileContent | undefined;
  readonly standing?: Standing;
  readonly isIgnored?: boolean;
}

/** A file that a call changed, with its content before. */
export interface ChangedFile {
  readonly path: string;
  readonly before: FileContent;
  readonly after: FileContent;
  readonly isIgnored?: boolean | undefined;
}

/**
 * Knows the contents of files before a command changed them, although it can't predict which files that will be. Reads
 * clean files from git, remembers others beforehand, and again after each change. So the cost of a command depends on
 * the changes since the last one, not on the size of the folder.
 */
export class ShellBaselines {
  readonly #ports: ShellPorts;
  readonly #known = new PackedContents();
  /** Files that were changed since they were remembered. */
  readonly #stale = new Set<string>();
  /** Files that were changed since a command began. */
  #candidates = new Set<string>();
  /** Folders that were deleted, renamed or replaced since then. */
  #lostFolders = new Set<string>();
  #running = 0;
  #editorActions = 0;
  readonly #remembering = new Set<Promise<void>>();
  /** True when all files are known, so that an unknown file cannot have existed. */
  #isComplete = false;
  #prepared: Promise<void> | undefined;

  constructor(ports: ShellPorts) {
    this.#ports = ports;
  }

  /** Remembers what a command could destroy, once; further calls wait for the first, and try again when it failed. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#rememberAll().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** Notes that a file was changed, created or deleted. */
  touched(path: string): void {
    if (!this.#isOurs(path)) return;
    this.#stale.add(path);
    if (this.#running > 0) this.#candidates.add(path);
  }

  /** Notes that a folder was deleted, renamed or replaced, with everything in it. */
  touchedFolder(path: string): void {
    this.touched(path);
    if (this.#running > 0) this.#lostFolders.add(path);
    else
      for (const inside of [...this.#known.paths, ...(this.#ports.first?.pathsIn(path) ?? [])]) {
        if (isFileOf(path, inside)) this.touched(inside);
      }
  }

  /** Notes that files may have been changed without having been reported: these, and all that are remembered. */
  doubted(paths: readonly string[]): void {
    for (const path of [...paths, ...this.#known.paths]) this.touched(path);
  }

  /**
   * Notes that the editor has saved a file: its content is the user's, and what a command changes from here on is not. While an editor action runs,
   * the save counts as that action's. Resolves when the content is remembered.
   */
  async saved(path: string): Promise<void> {
    if (this.#editorActions > 0 || !this.#isOurs(path)) {
      this.touched(path);
      return;
    }
    this.#stale.delete(path);
    await this.#waitedFor(this.#remember(path));
  }

  /** Notes a recorded change of any call: it does not count for commands that still run, unless one changed the file before. */
  recorded({ path, before, after }: ChangedFile): Promise<void> {
    if (this.#running === 0 || !this.#isOurs(path)) return Promise.resolve();
    const take = async () => {
      const known = await this.#known.get(path);
      const isSame = this.#ports.first === undefined ? isSameContent : isSameEntry;
      if (known === undefined || isSame(known, before)) await this.#known.set(path, after);
    };
    return this.#waitedFor(take());
  }

  /** Must be called before a command runs. @returns what must be called after it: `end` of that command. */
  async watch(isEditorAction = false): Promise<() => Promise<ChangedFile[]>> {
    const run = await this.begin(isEditorAction);
    return () => this.end(run);
  }

  /** Must be called before a command runs, and `end` after it. @param isEditorAction true when it makes the editor save files. */
  async begin(isEditorAction = false): Promise<ShellRun> {
    const at = Date.now();
    await this.prepare();
    const stale = [...this.#stale];
    this.#stale.clear();
    await this.#rememberThese(stale);
    await Promise.all(this.#remembering);
    this.#running += 1;
    if (isEditorAction) this.#editorActions += 1;
    return { at, isEditorAction, commit: await this.#ports.git?.head() };
  }

  /** Returns the files that were changed since the command began. Of overlapping commands, the first to end gets them. */
  async end(run: ShellRun): Promise<ChangedFile[]> {
    this.#running -= 1;
    if (run.isEditorAction) this.#editorActions -= 1;
    await Promise.all(this.#remembering);
    const candidates = [...this.#candidates];
    const lost = [...this.#lostFolders];
    this.#candidates = new Set();
    this.#lostFolders = new Set();
    const seen = await this.#look(candidates, run);
    const unknown = [...seen].filter(([, { committed }]) => committed === undefined).map(([path]) => path);
    const inside = await this.#filesIn(unknown, lost, run);
    const all = new Map([...seen, ...(await this.#look(inside, run))]);
    const changes: ChangedFile[] = [];
    for (const some of inPieces([...all.keys()].sort(), FILES_AT_ONCE)) {
      changes.push(...(await Promise.all(some.map((path) => this.#changeOf(path, all.get(path))))));
    }
    return changes;
  }

  /** Collects the facts about the files that git doesn't ignore. */
  async #look(paths: readonly string[], { at, commit }: ShellRun): Promise<Map<string, Sight>> {
    const { git } = this.#ports;
    const committed =
      commit === undefined ? undefined : await git?.contentsAt(commit, paths, await this.#attributes(paths));
    const standingOf = standings((folder) => folder !== this.#ports.folder && this.#isOurs(folder), at);
    const sights = new Map<string, Sight>();
    for (const path of paths) {
      sights.set(path, { committed: committed?.get(path), standing: await standingOf(dirname(path)) });
    }
    // Git fails as a whole when one of the paths leads through a link.
    const asked = [...sights].filter(([, sight]) => sight.committed === undefined && sight.standing !== "linked");
    const ignored = await git?.ignored(asked.map(([path]) => path));
    const limit = this.#ports.maxIgnored ?? 0;
    const isTooMuch = (ignored?.size ?? 0) > limit;
    for (const path of ignored ?? []) {
      if (isTooMuch) sights.delete(path);
      else sights.set(path, { ...sights.get(path), isIgnored: true });
    }
    if (isTooMuch) this.#ports.leaveOut?.(ignored ?? []);
    return sights;
  }

  /**
   * Returns the files that were in folders that are deleted or no longer the same: of these, the watcher reports only the folder.
   * @param lost folders that are no longer the same.
   */
  async #filesIn(paths: readonly string[], lost: readonly string[], { commit }: ShellRun): Promise<string[]> {
    const { git, first } = this.#ports;
    const gone = new Set<string>(lost);
    for (const path of paths) if (await isGone(path)) gone.add(path);
    if (gone.size === 0) return [];
    const isIn = (path: string): boolean => gone.has(path) || (dirname(path) !== path && isIn(dirname(path)));
    const known = [...this.#known.paths].filter((path) => !gone.has(path) && isIn(path));
    const committed = commit === undefined ? undefined : await git?.filesIn(commit, [...gone]);
    const looked = first === undefined ? [] : [...gone].flatMap((folder) => [...first.pathsIn(folder)]);
    const files = new Set([...known, ...(committed ?? []), ...looked]);
    return files.size > (first === undefined ? MAX_FILES : MAX_INSIDE) ? [] : [...files];
  }

  #isOurs(path: string): boolean {
    const { git, folder } = this.#ports;
    return git === undefined ? isFileOf(folder, path) : git.covers(path);
  }

  /** Returns the known contents of the attributes files among `paths`. */
  async #attributes(paths: readonly string[]): Promise<Map<string, FileContent>> {
    const known = new Map<string, FileContent>();
    for (const path of paths.filter(saysAttributes)) {
      const content = await this.#known.get(path);
      if (content !== undefined) known.set(path, content);
    }
    return known;
  }

  async #changeOf(path: string, sight: Sight = {}): Promise<ChangedFile> {
    this.#stale.delete(path);
    const known = await this.#known.get(path);
    const after = await this.#ports.read(path);
    const before = known === undefined ? this.#earlier(path, sight, after) : known;
    await this.#known.set(path, after);
    const { isIgnored } = sight;
    if (this.#ports.first !== undefined) return { path, before, after, isIgnored };
    // Restoring the content of a former link target would write into the file that the link leads to now.
    const isOtherFile =
      !isSameContent(before, after) && (sight.standing === "linked" || (before !== null && (await isLink(path))));
    return { path, before: isOtherFile ? { unknown: "unreadable" } : before, after };
  }

  /** Returns the earlier content of a file that we do not remember: from the first look, or from git. */
  #earlier(path: string, { committed, standing }: Sight, after: FileContent): FileContent {
    const { first } = this.#ports;
    const seen = first?.entryAt(path);
    if (seen !== undefined) return seen;
    const stamp = first?.stampOf(path);
    if (committed === undefined) return stamp === undefined ? this.#unseen(after, standing) : { unknown: "notSeen" };
    return isBytes(committed) ? { ...committed, ...stamp } : committed;
  }

  /** Returns the earlier content of a file that neither we nor git know. */
  #unseen(after: FileContent, standing: Standing | undefined): FileContent {
    if (standing === "linked") return after; // the file is elsewhere, and changes of it there are not seen
    const isGits = this.#ports.git !== undefined && standing === "inner";
    return this.#isComplete && !isGits ? null : { unknown: "notSeen" };
  }

  async #rememberAll(): Promise<void> {
    const { git } = this.#ports;
    const paths = git === undefined ? await this.#ports.listFiles(MAX_FILES) : await git.unclean();
    await this.#rememberThese(paths?.slice(0, MAX_FILES) ?? []);
    this.#isComplete = paths !== undefined && paths.length <= MAX_FILES;
  }

  async #rememberThese(paths: readonly string[]): Promise<void> {
    for (const some of inPieces(paths, FILES_AT_ONCE)) await Promise.all(some.map((path) => this.#remember(path)));
  }

  /** Keeps commands from beginning or ending before `remembered` is done. */
  async #waitedFor(remembered: Promise<void>): Promise<void> {
    this.#remembering.add(remembered);
    await remembered.finally(() => this.#remembering.delete(remembered));
  }

  async #remember(path: string): Promise<void> {
    await this.#known.set(path, await this.#ports.read(path));
  }
}
