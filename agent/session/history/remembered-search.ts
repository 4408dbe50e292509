import type { SessionMatch } from "../../protocol/history.ts";
import { searchFile } from "./search.ts";
import type { SessionFileInfo } from "./session-files.ts";
import type { Slices } from "./slices.ts";

/** A session that was found, and where. */
export interface Found {
  file: SessionFileInfo;
  match: SessionMatch | undefined;
}

/** Searches, and keeps what the last search found: the next page of it reads only files that have changed. */
export class RememberedSearch {
  #key = "";
  #results = new Map<string, { stamp: string; match: SessionMatch | undefined }>();

  /**
   * The files in which every word occurs, in the order given; without words all of them.
   * @throws the reason of the slices' signal once it is aborted.
   */
  async filter(files: readonly SessionFileInfo[], words: readonly string[], slices: Slices): Promise<Found[]> {
    if (words.length === 0) return files.map((file) => ({ file, match: undefined }));
    const results = this.#resultsOf(words);
    const found: Found[] = [];
    for (const file of files) {
      const before = results.get(file.path);
      const match = before?.stamp === file.stamp ? before.match : await search(file, words, slices);
      results.set(file.path, { stamp: file.stamp, match });
      if (match !== undefined) found.push({ file, match });
      await slices.rest();
    }
    return found;
  }

  #resultsOf(words: readonly string[]) {
    const key = JSON.stringify(words);
    if (key !== this.#key) this.#results = new Map();
    this.#key = key;
    return this.#results;
  }
}

async function search(file: SessionFileInfo, words: readonly string[], slices: Slices) {
  if (file.problem !== undefined) return undefined;
  try {
    return await searchFile(file, words, slices);
  } catch (error) {
    if (slices.isOver) throw error;
    return undefined; // gone, or not ours to read: a list without words says so
  }
}
