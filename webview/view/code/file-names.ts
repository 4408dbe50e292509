/** A name in a text that may be a file's, with the place in the file when one is given; lines and columns count from 1. */
export interface FileName {
  readonly path: string;
  readonly line?: number;
  readonly column?: number;
  /** Its start in the text and its end, including line and column, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Longer names are not looked at. */
const MAX_NAME_CHARS = 260;

/** Each character is looked at once: a name begins only where none is under way. */
const CANDIDATE =
  /(?<![\w/\\.:@~+-])((?:[a-z]:[\\/]|~?[\\/]|(?:\.{1,2}[\\/])+)?[\w@.+-]+(?:[\\/][\w@.+-]+)*)(?::(\d{1,7})(?::(\d{1,7}))?|#L(\d{1,7})|\((\d{1,7})(?:,(\d{1,7}))?\))?/gi;

/** Names of files that have no ending. */
const BARE_NAMES = new Set(["Dockerfile", "Gemfile", "Justfile", "LICENSE", "Makefile", "Procfile", "Rakefile"]);

/** Finds possible file names. The host decides whether the files exist. */
export function findFileNames(text: string): FileName[] {
  const names: FileName[] = [];
  for (const match of text.matchAll(CANDIDATE)) {
    const [whole, found = "", colonLine, colonColumn, hashLine, roundLine, roundColumn] = match;
    const place = whole.slice(found.length);
    // A sentence ends with a dot, a file does not.
    const path = place === "" ? found.replace(/[.+-]+$/, "") : found;
    if (!mayBeFile(path)) continue;
    const line = Number(colonLine ?? hashLine ?? roundLine ?? 0);
    const column = Number(colonColumn ?? roundColumn ?? 0);
    names.push({
      path,
      ...(line > 0 ? { line } : {}),
      ...(line > 0 && column > 0 ? { column } : {}),
      start: match.index,
      end: match.index + path.length + place.length,
    });
  }
  return names;
}

function mayBeFile(path: string): boolean {
  if (path.length > MAX_NAME_CHARS) return false;
  const last = path.split(/[\\/]/).at(-1) ?? "";
  if (BARE_NAMES.has(last)) return true;
  // Endings begin with a letter, so that versions and numbers are none.
  return /[\w)]\.[a-z]\w{0,9}$/i.test(last) || (/^\.[a-z][\w.-]+$/i.test(last) && last.length > 2);
}
