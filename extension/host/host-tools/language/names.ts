/** Returns the last part of a qualified name, such as `load` of `Store.load`. */
export function lastPart(symbol: string): string {
  return symbol.split(/[.#:]+/).at(-1) ?? symbol;
}

/** Removes what services append to a name, such as the signature in `load()`. */
export function plainName(name: string): string {
  return name.replace(/[(<].*$/, "");
}

/** Returns the offset of a name as a whole word in a text, in UTF-16 units; -1 when it is not there. */
export function findName(text: string, name: string): number {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return name === "" ? -1 : text.search(new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped}(?![\\p{L}\\p{N}_$])`, "u"));
}

/** True when a word is that name. Signs that some languages count as part of a word are ignored, as in `$total`. */
export function isName(word: string, name: string): boolean {
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}_]/gu, "");
  return letters(word) === letters(name);
}
