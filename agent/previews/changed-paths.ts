import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { haveSameContent, type PathState, pathState } from "./path-state.ts";

/** The number of changes that a preview follows. */
const MAX_CHANGES = 20_000;

/** What commands have made of one path. */
export interface ChangedPath {
  /** On the disk. */
  path: string;
  /** Where the new content can be read. */
  source: string;
  /** What the disk has; undefined for nothing. */
  before: PathState | undefined;
  after: PathState | undefined;
}

export interface Changes {
  changed: ChangedPath[];
  /** Why they can't be applied; undefined when they can. */
  problem: string | undefined;
}

/** A layer, and the names by which it and what it covers can be read. */
export interface ReadableLayer {
  place: string;
  upper: string;
  /** The place as commands saw it. */
  inside: string;
}

/** Finds what commands have changed in layers. @param since when the first of them began, in ms since the epoch: later changes of the disk are the user's. */
export async function findChanges(layers: readonly ReadableLayer[], since: number): Promise<Changes> {
  const search = new Search(since);
  for (const layer of layers) await search.folder(layer, "");
  return { changed: search.changed, problem: search.problem };
}

class Search {
  readonly changed: ChangedPath[] = [];
  problem: string | undefined;
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /** Compares a folder that the layer has, too. */
  async folder(layer: ReadableLayer, way: string): Promise<void> {
    const [made, seen, there] = await Promise.all([
      readdir(join(layer.upper, way)),
      readdir(join(layer.inside, way)),
      namesIn(join(layer.place, way)),
    ]);
    const visible = new Set(seen);
    const gone = there.filter((name) => !visible.has(name));
    const covered = new Set(made);
    for (const name of new Set([...made, ...gone])) await this.#entry(layer, join(way, name), covered.has(name));
  }

  async #entry(layer: ReadableLayer, way: string, isCovered: boolean): Promise<void> {
    const [path, source] = [join(layer.place, way), join(layer.inside, way)];
    const [before, after] = await Promise.all([pathState(path), pathState(source)]);
    if (before === undefined && after === undefined) return;
    if (before !== undefined && before.ctimeMs >= this.#since && (before.kind !== "folder" || after === undefined)) {
      if (!isCovered) return; // made by somebody else meanwhile
      this.#fail(`${path} was changed while the command ran`);
    }
    if (after?.kind === "other" || (before?.kind === "other" && after === undefined)) {
      this.#fail(`${path} is neither a file nor a directory nor a link`);
      return;
    }
    if (before?.kind === "folder" && after?.kind !== "folder") await this.#deleted(layer, way);
    if (await isChange({ path, source, before, after })) this.#add({ path, source, before, after });
    if (after?.kind === "folder") await this.folder(layer, way);
  }

  /** Notes everything in a folder as deleted. */
  async #deleted(layer: ReadableLayer, way: string): Promise<void> {
    for (const name of await namesIn(join(layer.place, way))) {
      const [path, source] = [join(layer.place, way, name), join(layer.inside, way, name)];
      const before = await pathState(path);
      if (before?.kind === "folder") await this.#deleted(layer, join(way, name));
      if (before !== undefined) this.#add({ path, source, before, after: undefined });
    }
  }

  #add(one: ChangedPath): void {
    if (this.changed.length >= MAX_CHANGES) throw new Error(`The command changes more than ${MAX_CHANGES} files.`);
    this.changed.push(one);
  }

  #fail(problem: string): void {
    this.problem ??= problem;
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
}

/** False for what was only looked at, or written with the same content. */
async function isChange({ path, source, before, after }: ChangedPath): Promise<boolean> {
  if (before === undefined || after === undefined || before.kind !== after.kind) return true;
  if (before.kind === "link") return before.target !== after.target;
  if (before.mode !== after.mode) return true;
  return before.kind === "file" && (before.size !== after.size || !(await haveSameContent(path, source)));
}
