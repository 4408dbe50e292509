import { randomBytes } from "node:crypto";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";

/** File events are delayed; without one for this long, all count as delivered. In milliseconds. */
const QUIET_MS = 400;
/** Maximum time to wait for a folder that keeps changing, in milliseconds. */
const MAX_WAIT_MS = 3_000;

interface WatchPorts {
  /** Called for each file that is changed, created or deleted, by whomever. */
  touched(path: string): void;
  /** Called when the editor has saved a file. */
  saved(path: string): void;
}

interface Mark {
  readonly path: string;
  seen(): void;
}

/**
 * Watches the files of a folder. File events arrive in order, so to know that all so far have arrived it creates a mark, an empty file in `.git`
 * which no watcher looks at, and removes it at once. Without a `.git` folder it waits until no more events arrive.
 */
export class FolderWatch implements vscode.Disposable {
  readonly #folder: string;
  readonly #subscriptions: vscode.Disposable[];
  #lastAt = 0;
  #mark: Mark | undefined;
  /** False when settings keep the editor from watching `.git`, so that the event of a mark never arrives. */
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
      // Fires at once, long before the watcher.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => saved(uri.fsPath)),
    ];
  }

  /** Resolves when all file events so far have been delivered; calls wait for one another. */
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
      this.#tellsOfMarks = false; // the folder is not writable
    } finally {
      this.#mark = undefined;
      await rm(path, { force: true }).catch(() => undefined); // an empty file that is not needed
    }
    return this.#tellsOfMarks;
  }

  #whenSeen(path: string): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), MAX_WAIT_MS);
      const seen = () => {
        clearTimeout(timer);
        setTimeout(() => resolve(true)); // events delivered together come in the same turn, in any order
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
