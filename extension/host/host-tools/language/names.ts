/** The last part of a symbol that may be named with what it stands in, such as `load` of `Store.load`. */
export function lastPart(symbol: string): string {
  return symbol.split(/[.#:]+/).at(-1) ?? symbol;
}

/** A name without what services add to it, such as the signature in `load()`. */
export function plainName(name: string): string {
  return name.replace(/[(<].*$/, "");
}

/** Where a name stands in a text as a word of its own, in UTF-16 units; -1 when it does not. */
export function findName(text: string, name: string): number {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return name === "" ? -1 : text.search(new RegExp(`(?<![\\p{L}\\p{N}_$])${escaped}(?![\\p{L}\\p{N}_$])`, "u"));
}

/** Whether a word of a language is that name: some have signs that belong to words, such as `$total`. */
export function isName(word: string, name: string): boolean {
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}_]/gu, "");
  return letters(word) === letters(name);
}
