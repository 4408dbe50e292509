import { dirname } from "node:path";
import { type FileContent, isGone, isLink, isSameContent } from "./file-content.ts";
import { saysAttributes } from "./git-attributes.ts";
import type { GitReader } from "./git-reader.ts";
import { PackedContents } from "./packed-contents.ts";
import { inPieces } from "./pieces.ts";
import { type Standing, standings } from "./standing.ts";
import { isFileOf } from "./within.ts";

/** Files whose content is remembered: those that git has not got, or, without git, all of the folder; of a larger folder none. */
const MAX_FILES = 2_000;

/** Files that are read at a time. */
const FILES_AT_ONCE = 10;

interface ShellPorts {
  /** The folder that commands run in. */
  readonly folder: string;
  /** Undefined where there is no git. */
  readonly git: GitReader | undefined;
  /** Paths of the files in the folder, at most `limit`; undefined when there are more. Never asked for where there is git. */
  listFiles(limit: number): Promise<readonly string[] | undefined>;
  read(path: string): Promise<FileContent>;
}

/** A command that runs. */
interface ShellRun {
  /** When it began, as Unix time in ms. */
  readonly at: number;
  readonly isEditorAction: boolean;
  readonly commit: string | undefined;
}

/** What is known of a file without looking at it. */
interface Sight {
  /** What the commit has that was checked out. */
  readonly committed?: FileContent | undefined;
  readonly standing?: Standing;
}

/** A file that a call changed, with what it held before. */
export interface ChangedFile {
  readonly path: string;
  readonly before: FileContent;
  readonly after: FileContent;
}

/**
 * Knows what files held before a command changed them, although nobody can say beforehand which it will change. What is clean is git's to
 * tell; of what is not, the content is remembered beforehand, and again when somebody is seen to change it. So a command costs what was
 * changed since the last one, however large the folder is.
 */
export class ShellBaselines {
  readonly #ports: ShellPorts;
  readonly #known = new PackedContents();
  /** Changed since they were remembered. */
  readonly #stale = new Set<string>();
  /** Changed since a command began. */
  #candidates = new Set<string>();
  #running = 0;
  #editorActions = 0;
  readonly #remembering = new Set<Promise<void>>();
  /** Whether a file that nothing is known of cannot have been there. */
  #isComplete = false;
  #prepared: Promise<void> | undefined;

  constructor(ports: ShellPorts) {
    this.#ports = ports;
  }

  /** Remembers what a command could destroy. Done once; further calls wait for the first, and try again when it failed. */
  prepare(): Promise<void> {
    this.#prepared ??= this.#rememberAll().catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
  }

  /** Somebody has changed a file, or made or deleted it. */
  touched(path: string): void {
    if (!this.#isOurs(path)) return;
    this.#stale.add(path);
    if (this.#running > 0) this.#candidates.add(path);
  }

  /**
   * The editor has saved a file: what it holds now is the user's, and what a command does to it from here on is not. While an action of the
   * editor runs, it is that one's. Resolves when it is remembered.
   */
  async saved(path: string): Promise<void> {
    if (this.#editorActions > 0 || !this.#isOurs(path)) {
      this.touched(path);
      return;
    }
    this.#stale.delete(path);
    await this.#waitedFor(this.#remember(path));
  }

  /** A change was recorded, of whatever call: it is not the doing of commands that still run, unless one changed the file before. */
  recorded({ path, before, after }: ChangedFile): Promise<void> {
    if (this.#running === 0 || !this.#isOurs(path)) return Promise.resolve();
    const take = async () => {
      const known = await this.#known.get(path);
      if (known === undefined || isSameContent(known, before)) await this.#known.set(path, after);
    };
    return this.#waitedFor(take());
  }

  /** Call it before a command runs, and `end` after it. @param isEditorAction whether it has the editor save files. */
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

  /** What was changed since the command began. Of commands that overlap, the first to end is told. */
  async end(run: ShellRun): Promise<ChangedFile[]> {
    this.#running -= 1;
    if (run.isEditorAction) this.#editorActions -= 1;
    await Promise.all(this.#remembering);
    const candidates = [...this.#candidates];
    this.#candidates = new Set();
    const seen = await this.#look(candidates, run);
    const unknown = [...seen].filter(([, { committed }]) => committed === undefined).map(([path]) => path);
    const inside = await this.#filesIn(unknown, run);
    const all = new Map([...seen, ...(await this.#look(inside, run))]);
    const changes: ChangedFile[] = [];
    for (const some of inPieces([...all.keys()].sort(), FILES_AT_ONCE)) {
      changes.push(...(await Promise.all(some.map((path) => this.#changeOf(path, all.get(path))))));
    }
    return changes;
  }

  /** What there is to know of files that git does not ignore. */
  async #look(paths: readonly string[], { at, commit }: ShellRun): Promise<Map<string, Sight>> {
    const { git } = this.#ports;
    const committed =
      commit === undefined ? undefined : await git?.contentsAt(commit, paths, await this.#attributes(paths));
    const standingOf = standings((folder) => folder !== this.#ports.folder && this.#isOurs(folder), at);
    const sights = new Map<string, Sight>();
    for (const path of paths) {
      sights.set(path, { committed: committed?.get(path), standing: await standingOf(dirname(path)) });
    }
    // Git answers nothing at all when one of the paths leads through a link.
    const asked = [...sights].filter(([, sight]) => sight.committed === undefined && sight.standing !== "linked");
    const ignored = await git?.ignored(asked.map(([path]) => path));
    for (const path of ignored ?? []) sights.delete(path);
    return sights;
  }

  /** The files that were in those of some folders that are gone: when a folder goes, the editor tells of it alone. */
  async #filesIn(paths: readonly string[], { commit }: ShellRun): Promise<string[]> {
    const gone = new Set<string>();
    for (const path of paths) if (await isGone(path)) gone.add(path);
    if (gone.size === 0) return [];
    const isIn = (path: string): boolean => gone.has(path) || (dirname(path) !== path && isIn(dirname(path)));
    const known = [...this.#known.paths].filter((path) => !gone.has(path) && isIn(path));
    const committed = commit === undefined ? undefined : await this.#ports.git?.filesIn(commit, [...gone]);
    const files = new Set([...known, ...(committed ?? [])]);
    return files.size > MAX_FILES ? [] : [...files];
  }

  #isOurs(path: string): boolean {
    const { git, folder } = this.#ports;
    return git === undefined ? isFileOf(folder, path) : git.covers(path);
  }

  /** What is known of the files of attributes among some. */
  async #attributes(paths: readonly string[]): Promise<Map<string, FileContent>> {
    const known = new Map<string, FileContent>();
    for (const path of paths.filter(saysAttributes)) {
      const content = await this.#known.get(path);
      if (content !== undefined) known.set(path, content);
    }
    return known;
  }

  async #changeOf(path: string, { committed, standing }: Sight = {}): Promise<ChangedFile> {
    this.#stale.delete(path);
    const known = await this.#known.get(path);
    const after = await this.#ports.read(path);
    const before = known === undefined ? (committed ?? this.#unseen(after, standing)) : known;
    await this.#known.set(path, after);
    // To write what a link led to before would write into the file that it leads to now.
    const isOtherFile =
      !isSameContent(before, after) && (standing === "linked" || (before !== null && (await isLink(path))));
    return { path, before: isOtherFile ? { unknown: "unreadable" } : before, after };
  }

  /** What a file held before that neither we nor git know of. */
  #unseen(after: FileContent, standing: Standing | undefined): FileContent {
    if (standing === "linked") return after; // the file is elsewhere, and nobody is seen to change it there
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

  /** No command begins or ends before it. */
  async #waitedFor(remembered: Promise<void>): Promise<void> {
    this.#remembering.add(remembered);
    await remembered.finally(() => this.#remembering.delete(remembered));
  }

  async #remember(path: string): Promise<void> {
    await this.#known.set(path, await this.#ports.read(path));
  }
}
