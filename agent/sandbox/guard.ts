import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { takeAway } from "./kept-out.ts";

interface GuardOptions {
  /** Paths at which nothing is, and at which contained commands may make nothing. */
  paths: readonly string[];
  /** True while something runs in the sandbox. */
  isBusy(): boolean;
  /** Comes when something was renamed that a command may have made. */
  onTaken(paths: readonly string[]): void;
  /** Comes when somebody else has made something at one of the paths. */
  onOthers(): void;
}

/** Takes away what commands make where they may make nothing, as soon as it is there. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #watchers: FSWatcher[];
  #checking: Promise<void> = Promise.resolve();
  #isAwaited = false;

  constructor(options: GuardOptions) {
    this.#options = options;
    const folders = [...new Set(options.paths.map((path) => dirname(path)))];
    this.#watchers = folders.flatMap((folder) => {
      try {
        const watcher = watch(folder, { persistent: false }, () => this.#lookSoon());
        return [watcher.on("error", () => watcher.close())];
      } catch {
        return []; // the end of each command looks, too
      }
    });
  }

  /** Looks now. Resolves when everything that was there is taken away. */
  check(): Promise<void> {
    this.#checking = this.#checking.catch(() => undefined).then(() => this.#look());
    return this.#checking;
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close();
  }

  /** Many events of one moment need one look. */
  #lookSoon(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    void this.#checking
      .catch(() => undefined)
      .then(() => {
        this.#isAwaited = false;
        return this.check();
      })
      .catch(() => undefined); // the end of the command fails with it
  }

  async #look(): Promise<void> {
    const { paths, isBusy, onTaken, onOthers } = this.#options;
    if (!isBusy()) return onOthers();
    const taken = await takeAway(paths);
    if (taken.length > 0) onTaken(taken);
  }
}
