import { FileIndex } from "../../core/mentions/file-index.ts";
import { type PathMatches, PathSearch } from "../../core/mentions/path-search.ts";
import type { PathSource } from "../../core/mentions/path-sources.ts";

/** Files are listed anew for a list that is opened when they were listed longer ago than this, though nobody told of a change. */
const MAX_AGE_MS = 30_000;
/** The same when somebody did. */
const MAX_OUTDATED_MS = 500;
/** An answer waits this long for the first files to be listed, and the next ones this long for more of them. */
const FIRST_ANSWER_MS = 40;
const NEXT_ANSWER_MS = 150;

/** How the files of a folder are listed; the second list is of ignored ones too. `prefix` stands before each path. */
export interface PathList {
  readonly prefix: string;
  readonly shown: PathSource;
  readonly ignored?: PathSource | undefined;
}

/** The paths of a workspace, listed when they are first asked for and again when that is some time ago. */
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

  /** @param failed is told when the files could not be listed. */
  constructor(lists: () => Promise<readonly PathList[]>, failed: (error: unknown) => void) {
    this.#lists = lists;
    this.#failed = failed;
  }

  /**
   * Tells `answer` what fits, soon, and again as long as files are being listed and there is something else to tell; no more when another
   * search came in between.
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

  /** Something has come; `file` is its path when it is known to be a file. Whether it is ignored, the next listing tells. */
  came(file?: string): void {
    this.#isOutdated = true;
    if (file !== undefined && this.#index.fileCount > 0) this.#index.add([file]);
  }

  /** A file or folder has gone. */
  gone(path: string): void {
    this.#isOutdated = true;
    this.#index.remove([path]);
  }

  /** Ends a listing that is under way. */
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

  /** With other folders in the window the paths have other beginnings. */
  #forgetFolders(lists: readonly PathList[]): void {
    const prefixes = lists.map(({ prefix }) => prefix).join("\n");
    if (prefixes !== this.#prefixes) this.#index.clear();
    this.#prefixes = prefixes;
  }
}

function isSame(one: PathMatches, other: PathMatches): boolean {
  return JSON.stringify(one.matches) === JSON.stringify(other.matches);
}

/** Resolves when `work` has, or when its time is over. */
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
