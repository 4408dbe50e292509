import { FileIndex } from "../mentions/file-index.ts";
import { type PathMatches, PathSearch } from "../mentions/path-search.ts";
import type { PathSource } from "../mentions/path-sources.ts";

/** Files are listed anew for a list that is opened when they were listed longer ago than this. */
const MAX_AGE_MS = 5_000;
/** A first answer waits this long for the files to be listed. */
const FIRST_ANSWER_MS = 80;

/** How the files of a workspace are listed; the second list is of ignored ones too. */
export interface PathLists {
  readonly shown: PathSource;
  readonly ignored?: PathSource | undefined;
}

/** The paths of a workspace, listed when they are first asked for and again when that is some time ago. */
export class WorkspacePaths {
  readonly #index = new FileIndex();
  readonly #search = new PathSearch(this.#index);
  readonly #lists: () => Promise<PathLists>;
  readonly #failed: (error: unknown) => void;
  readonly #stopper = new AbortController();
  #filling: Promise<void> | undefined;
  #filledAt = Number.NEGATIVE_INFINITY;
  #latest = 0;

  /** @param failed is told when the files could not be listed. */
  constructor(lists: () => Promise<PathLists>, failed: (error: unknown) => void) {
    this.#lists = lists;
    this.#failed = failed;
  }

  /**
   * Tells `answer` what fits, and tells it again when files have been listed in the meantime; not at all when another search came in between.
   * @param recent paths that are open, the latest first.
   */
  async find(query: string, recent: readonly string[], answer: (matches: PathMatches) => void): Promise<void> {
    if (this.#filling === undefined && performance.now() - this.#filledAt > MAX_AGE_MS) this.#filling = this.#fill();
    const filling = this.#filling;
    if (filling !== undefined && this.#index.fileCount === 0) await noLaterThan(filling, FIRST_ANSWER_MS);
    const first = await this.#search.find(query, recent);
    if (first === undefined) return;
    answer(first);
    if (filling === undefined) return;
    const later = this.#latest + 1;
    this.#latest = later;
    await filling;
    if (later !== this.#latest) return;
    const second = await this.#search.find(query, recent);
    if (second !== undefined && !isSame(first, second)) answer(second);
  }

  /** Ends a listing that is under way. */
  dispose(): void {
    this.#stopper.abort();
  }

  async #fill(): Promise<void> {
    const { signal } = this.#stopper;
    try {
      const { shown, ignored } = await this.#lists();
      await this.#index.fill(shown, { signal });
      if (ignored !== undefined) await this.#index.fill(ignored, { isIgnored: true, signal });
    } catch (error) {
      if (!signal.aborted) this.#failed(error);
    } finally {
      this.#filledAt = performance.now();
      this.#filling = undefined;
    }
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
