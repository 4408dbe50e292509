import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

/** Changes of files are told a while after they happened; without one for so long, all are taken to be told. In milliseconds. */
const QUIET_MS = 400;
/** Nobody waits longer than this for a folder that does not come to rest, in milliseconds. */
const MAX_WAIT_MS = 3_000;

interface WatchPorts {
  /** A file was changed, made or deleted, by whomever. */
  touched(path: string): void;
  /** The editor has saved a file. */
  saved(path: string): void;
}

interface Mark {
  readonly path: string;
  seen(): void;
}

/**
 * Tells of files of a folder that change, by whomever. Changes are told in order, so it leaves a mark to know that all of a moment have been: an
 * empty file in the folder `.git`, where nobody looks for changes, removed at once. Where there is none it waits until nothing more is told.
 */
export class FolderWatch implements vscode.Disposable {
  readonly #folder: string;
  readonly #subscriptions: vscode.Disposable[];
  #lastAt = 0;
  #mark: Mark | undefined;
  /** Settings can keep the editor from watching `.git`: then no mark is ever seen. */
  #tellsOfMarks = true;

  constructor(folder: string, { touched, saved }: WatchPorts) {
    this.#folder = folder;
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), "**"));
    const tell = ({ fsPath }: vscode.Uri) => {
      this.#lastAt = Date.now();
      if (fsPath === this.#mark?.path) this.#mark.seen();
      else touched(fsPath);
    };
    this.#subscriptions = [
      watcher,
      watcher.onDidChange(tell),
      watcher.onDidCreate(tell),
      watcher.onDidDelete(tell),
      // Comes at once, long before the watcher tells.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => saved(uri.fsPath)),
    ];
  }

  /** Resolves when changes until now have been told; one after the other. */
  async settled(): Promise<void> {
    if (!(await this.#isMarkSeen())) await this.#quiet();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #isMarkSeen(): Promise<boolean> {
    const place = join(this.#folder, ".git");
    const isPossible = this.#tellsOfMarks && (await stat(place).catch(() => undefined))?.isDirectory() === true;
    if (!isPossible) return false;
    const path = join(place, `tiller-${randomBytes(6).toString("hex")}`);
    const seen = this.#whenSeen(path);
    try {
      await writeFile(path, "");
      this.#tellsOfMarks = await seen;
    } catch {
      this.#tellsOfMarks = false; // nobody may write there
    } finally {
      this.#mark = undefined;
      await rm(path, { force: true }).catch(() => undefined); // an empty file that nobody reads
    }
    return this.#tellsOfMarks;
  }

  #whenSeen(path: string): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), MAX_WAIT_MS);
      const seen = () => {
        clearTimeout(timer);
        setTimeout(() => resolve(true)); // what was told with it comes in the same turn, in any order
      };
      this.#mark = { path, seen };
    });
  }

  async #quiet(): Promise<void> {
    const startedAt = Date.now();
    for (;;) {
      const now = Date.now();
      const quietSince = Math.max(startedAt, this.#lastAt);
      const left = Math.min(quietSince + QUIET_MS, startedAt + MAX_WAIT_MS) - now;
      if (left <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }
}
