import { type FSWatcher, readdirSync, watch } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atMost } from "../util/at-most.ts";
import { type FolderLook, isHardLinked, statsOf } from "./folder-look.ts";

/** Maximum number of folders that are watched one by one. */
const MAX_WATCHED = 20_000;
/** Number of events after which some may have been lost: Linux queues 16,384. */
const MANY_EVENTS = 8_000;
/** Maximum time to wait for the event of a mark, in milliseconds. */
const MAX_WAIT_MS = 2_000;

interface WatchPorts {
  /** Called for each path where something was changed, created or deleted, by whomever. */
  touched(path: string): void;
  /** Called for each folder that was deleted, renamed or replaced. */
  touchedFolder(path: string): void;
}

/**
 * Watches everything below a folder. On Linux each folder has a watch of its own, and events of all of them arrive in order: a file that is written
 * to a folder of our own marks the place up to which they have been delivered.
 */
export class TreeWatch {
  readonly #look: FolderLook;
  readonly #ports: WatchPorts;
  readonly #watches = new Map<string, FSWatcher>();
  /** The folder for marks; undefined where one watch tells of everything. */
  #markFolder: string | undefined;
  /** The mark that is waited for. */
  #mark: { path: string; seen: () => void } | undefined;
  #marks = 0;
  /** Marks are waited for one after another. */
  #settled: Promise<void> = Promise.resolve();
  #events = 0;
  #isBlind = false;

  constructor(look: FolderLook, ports: WatchPorts) {
    this.#look = look;
    this.#ports = ports;
  }

  /** True when changes may have been missed since the last call of this. */
  takeDoubt(): boolean {
    const isInDoubt = this.#isBlind || this.#events > MANY_EVENTS;
    this.#events = 0;
    return isInDoubt;
  }

  /** Begins to watch. */
  async open(): Promise<void> {
    if (this.#look.isCut) {
      this.#isBlind = true;
      return;
    }
    if (process.platform !== "linux") {
      this.#watch(this.#look.folder, true);
      return;
    }
    for (const folder of this.#look.folders) this.#watch(folder, false);
    this.#markFolder = await mkdtemp(join(tmpdir(), "tiller-mark-"));
    this.#watch(this.#markFolder, false);
  }

  /** Resolves when all events so far have been delivered. */
  settled(): Promise<void> {
    this.#settled = this.#settled.then(() => this.#settle());
    return this.#settled;
  }

  /** Ends the watches of those folders among some paths, and tells no more of what is in them. */
  leaveOut(paths: Iterable<string>): void {
    for (const path of paths) {
      if (statsOf(path)?.isDirectory() !== true) continue;
      this.#look.leaveOut(path);
      this.#unwatchBelow(path);
    }
  }

  /** Ends all watches. */
  async close(): Promise<void> {
    this.#closeAll();
    if (this.#markFolder !== undefined) await rm(this.#markFolder, { recursive: true, force: true });
  }

  async #settle(): Promise<void> {
    if (this.#isBlind) return;
    this.#marks += 1;
    const path = join(await this.#placeOfMarks(), `.tiller-${process.pid}-${this.#marks}`);
    await this.#whenSeen(path);
    this.#mark = undefined;
    await rm(path, { force: true }).catch(() => undefined); // an empty file that is not needed
  }

  async #placeOfMarks(): Promise<string> {
    if (this.#markFolder !== undefined) return this.#markFolder;
    const place = join(this.#look.folder, ".git");
    return (await stat(place).catch(() => undefined))?.isDirectory() === true ? place : this.#look.folder;
  }

  async #whenSeen(path: string): Promise<void> {
    let isSeen = false;
    const seen = new Promise<void>((resolve) => {
      this.#mark = {
        path,
        seen: () => {
          isSeen = true;
          resolve();
        },
      };
    });
    await writeFile(path, "").catch(() => undefined); // a full disk: the wait takes its time
    await atMost(seen, MAX_WAIT_MS);
    if (!isSeen) this.#mayBeBlind();
  }

  #mayBeBlind(): void {
    this.#events = MANY_EVENTS + 1;
  }

  #watch(folder: string, recursive: boolean): void {
    if (this.#isBlind || this.#watches.has(folder)) return;
    try {
      if (this.#watches.size >= MAX_WATCHED) throw new Error("Too many folders.");
      const made = watch(folder, { persistent: false, recursive }, (kind, name) => this.#tell(folder, kind, name));
      made.on("error", () => this.#unwatch(folder));
      this.#watches.set(folder, made);
    } catch {
      if (statsOf(folder) === undefined) return; // gone meanwhile
      this.#isBlind = true; // the system allows no more watches
      this.#closeAll();
    }
  }

  #tell(folder: string, kind: string, name: string | null): void {
    this.#events += 1;
    if (name === null) return;
    const path = join(folder, name);
    if (path === this.#mark?.path) this.#mark.seen();
    if (folder === this.#markFolder || name.startsWith(".tiller-") || this.#isLeftOut(path)) return;
    this.#ports.touched(path);
    for (const twin of this.#look.twinsOf(path)) this.#ports.touched(twin);
    if (kind !== "rename") return;
    if (this.#unwatchBelow(path)) this.#ports.touchedFolder(path);
    const stats = statsOf(path);
    if (stats?.isDirectory() === true) this.#discover(path);
    else if (stats !== undefined && isHardLinked(stats)) this.#mayBeBlind(); // events name only one of its paths
  }

  /** True for what is in a folder that nobody looks into. */
  #isLeftOut(path: string): boolean {
    for (let at = path; at.length > this.#look.folder.length; at = parentOf(at)) {
      if (this.#look.leavesOut(at)) return true;
    }
    return false;
  }

  /** Watches a new folder, and tells of everything in it. */
  #discover(folder: string): void {
    const waiting = [folder];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (process.platform === "linux") this.#watch(next, false);
      for (const name of namesIn(next)) {
        const path = join(next, name);
        if (this.#look.leavesOut(path)) continue;
        this.#events += 1;
        this.#ports.touched(path);
        if (this.#events <= MANY_EVENTS && statsOf(path)?.isDirectory() === true) waiting.push(path);
      }
    }
  }

  /** Ends the watches of a folder and of those below it. @returns true when it was watched. */
  #unwatchBelow(folder: string): boolean {
    if (!this.#watches.has(folder)) return process.platform !== "linux" && this.#look.entryAt(folder) !== undefined;
    for (const path of this.#watches.keys())
      if (path === folder || path.startsWith(join(folder, "/"))) this.#unwatch(path);
    return true;
  }

  #unwatch(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }

  #closeAll(): void {
    for (const folder of [...this.#watches.keys()]) this.#unwatch(folder);
  }
}

function parentOf(path: string): string {
  return join(path, "..");
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // gone meanwhile
  }
}
