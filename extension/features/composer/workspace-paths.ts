import { FileIndex } from "../../core/mentions/file-index.ts";
import { type PathMatches, PathSearch } from "../../core/mentions/path-search.ts";
import type { PathSource } from "../../core/mentions/path-sources.ts";

/** Age at which files are listed again when the list is opened, even without a known change, in milliseconds. */
const MAX_AGE_MS = 30_000;
/** The same after a known change. */
const MAX_OUTDATED_MS = 500;
/** Maximum wait of the first answer for files to be listed, and of later ones for more files, in milliseconds. */
const FIRST_ANSWER_MS = 40;
const NEXT_ANSWER_MS = 150;

/** The sources for the files of a folder; `ignored` also lists ignored ones. `prefix` is prepended to each path. */
export interface PathList {
  readonly prefix: string;
  readonly shown: PathSource;
  readonly ignored?: PathSource | undefined;
}

/** The paths of a workspace, listed on first use and again when the listing is too old. */
export class WorkspacePaths {
  readonly #index = new FileIndex();
  readonly #search = new PathSearch(this.#index);
  readonly #lists: () => Promise<readonly PathList[]>;
  readonly #failed: (error: unknown) => void;
  readonly #stopper = new AbortController();
  #filling: Promise<void> | undefined;
  #filledAt = Number.NEGATIVE_INFINITY;
  #latest = 0;
  #isOutdated = false;
  #prefixes = "";

  /** @param failed is called when the files could not be listed. */
  constructor(lists: () => Promise<readonly PathList[]>, failed: (error: unknown) => void) {
    this.#lists = lists;
    this.#failed = failed;
  }

  /**
   * Passes the matches to `answer`, soon, and again while files are being listed and the result changes; no more once another search was
   * started.
   * @param recent paths that are open, the latest first.
   */
  async find(query: string, recent: readonly string[], answer: (matches: PathMatches) => void): Promise<void> {
    this.#latest += 1;
    const turn = this.#latest;
    const ageMs = performance.now() - this.#filledAt;
    const isOld = ageMs > (this.#isOutdated ? MAX_OUTDATED_MS : MAX_AGE_MS);
    if (this.#filling === undefined && isOld) this.#filling = this.#fill();
    if (this.#filling !== undefined && this.#index.fileCount === 0) await noLaterThan(this.#filling, FIRST_ANSWER_MS);
    let last: PathMatches | undefined;
    while (turn === this.#latest) {
      const filling = this.#filling;
      const { revision } = this.#index;
      const found = await this.#search.find(query, recent);
      if (found === undefined || turn !== this.#latest) return;
      if (last === undefined || !isSame(last, found)) answer(found);
      last = found;
      if (filling === undefined) return;
      const waitMs = found.matches.length === 0 ? FIRST_ANSWER_MS : NEXT_ANSWER_MS;
      do await noLaterThan(filling, waitMs);
      while (turn === this.#latest && this.#filling !== undefined && this.#index.revision === revision);
    }
  }

  /** Notes that something was added; `file` is its path when it is known to be a file. The next listing tells whether it is ignored. */
  came(file?: string): void {
    this.#isOutdated = true;
    if (file !== undefined && this.#index.fileCount > 0) this.#index.add([file]);
  }

  /** Notes that a file or folder was deleted. */
  gone(path: string): void {
    this.#isOutdated = true;
    this.#index.remove([path]);
  }

  /** Cancels a running listing. */
  dispose(): void {
    this.#stopper.abort();
  }

  async #fill(): Promise<void> {
    const { signal } = this.#stopper;
    try {
      this.#isOutdated = false;
      const lists = await this.#lists();
      this.#forgetFolders(lists);
      for (const { prefix, shown } of lists) await this.#index.fill(shown, { prefix, signal });
      for (const { prefix, ignored } of lists) {
        if (ignored !== undefined) await this.#index.fill(ignored, { prefix, isIgnored: true, signal });
      }
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    } finally {
      this.#filledAt = performance.now();
      this.#filling = undefined;
    }
  }

  /** Clears the index when the window has other folders, since the paths then have other prefixes. */
  #forgetFolders(lists: readonly PathList[]): void {
    const prefixes = lists.map(({ prefix }) => prefix).join("\n");
    if (prefixes !== this.#prefixes) this.#index.clear();
    this.#prefixes = prefixes;
  }
}

function isSame(one: PathMatches, other: PathMatches): boolean {
  return JSON.stringify(one.matches) === JSON.stringify(other.matches);
}

/** Resolves when `work` has, or after `ms`. */
async function noLaterThan(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    work,
    new Promise((resolve) => {
      timer = setTimeout(resolve, ms);
    }),
  ]);
  clearTimeout(timer);
}
