import { relative } from "node:path";
import type { Places } from "../places.ts";
import { type Found, findSecret } from "./secret-search.ts";
import { isTidy, type Listing } from "./words.ts";

/** Files that commands list for others. Each listing is searched once. */
export class ListedFiles {
  readonly #places: Places;
  readonly #known = new Map<string, Found>();

  constructor(places: Places) {
    this.#places = places;
  }

  /** Returns the reason why the files of a listing need a question, if they do. */
  show({ folders, isTracked }: Listing): Found {
    const key = JSON.stringify([folders, isTracked]);
    const search = { places: this.#places, followsLinks: true, splitsNames: true, passesOverPackages: isTracked };
    const found = this.#known.get(key) ?? this.#reasonFor(folders) ?? findSecret(folders, search);
    this.#known.set(key, found);
    return found;
  }

  /** Returns why the named folders and files themselves need a question. */
  #reasonFor(paths: readonly string[]): Found | undefined {
    for (const path of paths) {
      const name = relative(this.#places.workspace, path);
      if (name !== "" && !isTidy(name)) return { reason: `a name would be taken apart: ${name}` };
      const reason = this.#places.judgeReading(path);
      if (reason !== undefined) return { reason };
    }
    return undefined;
  }
}
