/** Number of parts. A map of 100,000 paths pauses for tens of milliseconds when it grows; a part of it for about one. */
const PARTS = 64;
/** Number of characters at the end of a path that select its part: there, paths differ most. */
const HASHED_CHARS = 8;

/** A map by path that grows in small steps. */
export class PathMap<Value> {
  readonly #parts: readonly Map<string, Value>[] = Array.from({ length: PARTS }, () => new Map<string, Value>());

  get(path: string): Value | undefined {
    return this.#partOf(path)?.get(path);
  }

  set(path: string, value: Value): void {
    this.#partOf(path)?.set(path, value);
  }

  delete(path: string): void {
    this.#partOf(path)?.delete(path);
  }

  clear(): void {
    for (const part of this.#parts) part.clear();
  }

  #partOf(path: string): Map<string, Value> | undefined {
    let hash = path.length;
    for (let at = Math.max(0, path.length - HASHED_CHARS); at < path.length; at += 1) {
      hash = (hash * 31 + path.charCodeAt(at)) | 0;
    }
    return this.#parts[(hash ^ (hash >>> 12)) & (PARTS - 1)];
  }
}
