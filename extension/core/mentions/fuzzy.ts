import { foldUnit, letterMask } from "./letters.ts";

/** Maximum length of a query, in UTF-16 units; the rest is ignored. */
const MAX_QUERY_CHARS = 100;
/** Maximum number of words of a query. */
const MAX_WORDS = 8;

const LETTER = 16;
/** For a letter in the last segment of the path. */
const IN_NAME = 4;
/** For a letter directly after the previous match. */
const RUN = 10;
const PART_START = 10;
const WORD_START = 8;
const HUMP = 7;
/** For each letter skipped between two matches. */
const SKIPPED = 1;
/** For a name that starts with the word; once more when the word is the name without its extension; once more when it is the whole name. */
const NAME_BEGINS = 14;
const NONE = -0x40000000;

const SLASH = 47;

/** A query prepared for many paths. */
export interface FuzzyQuery {
  /** Normalized: every path that matches this query also matches each prefix of it. */
  readonly text: string;
  /** The letters of all words; see `letterMask`. */
  readonly mask: number;
  readonly words: readonly Word[];
}

interface Word {
  /** UTF-16 units in lower case. */
  readonly units: readonly number[];
  /** The unit itself where it must match exactly, as for a capital letter; else 0. */
  readonly exact: readonly number[];
  readonly hasSlash: boolean;
  /** Upper bounds of the score of its letters up to each one, in the path of a folder and of a file: there, none before the last slash is in the name. */
  readonly mostInFolder: readonly number[];
  readonly mostInFile: readonly number[];
}

/**
 * Parses a query: words separated by blanks that may match in any order, each by its letters in order. A capital letter matches only itself, a
 * small one both cases; a backslash counts as a slash.
 */
export function readQuery(query: string): FuzzyQuery {
  const text = query.trimStart().slice(0, MAX_QUERY_CHARS).replaceAll("\\", "/");
  const words = text.split(/\s+/).filter((word) => word !== "");
  return { text, mask: letterMask(words.join("")), words: words.slice(0, MAX_WORDS).map(readWord) };
}

function readWord(text: string): Word {
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  const exact = units.map((unit) => (foldUnit(unit) === unit ? 0 : unit));
  const slashes = text.lastIndexOf("/") + 1;
  const mostInFolder = units.map((_, letter) => (letter + 1) * (LETTER + IN_NAME + PART_START) + PART_START);
  const mostInFile = mostInFolder.map((most, letter) => most - IN_NAME * Math.min(letter + 1, slashes));
  return { units: units.map(foldUnit), exact, hasSlash: text.includes("/"), mostInFolder, mostInFile };
}

/** The current path, decoded once for all words. The arrays grow to the longest path so far. */
let raw = new Uint16Array(1024);
let lower = new Uint16Array(1024);
let length = 0;
let nameStart = 0;
/** The end of the name, before the slash of a folder. */
let nameEnd = 0;

/** Best sum with letter `row` at place `column` (at `row * length + column`), and the best at or before it minus what was skipped since. */
let atPlace = new Int32Array(16 * 1024);
let upTo = new Int32Array(16 * 1024);
/** The first and last place that each letter of the word can have. */
const firstPlace = new Int32Array(MAX_QUERY_CHARS);
const lastPlace = new Int32Array(MAX_QUERY_CHARS);

/** The score of a path that matches, but was not worth a closer look. */
const TOO_LOW = NONE;

/**
 * Scores a path: higher is better, `undefined` is no match. An empty query matches everything with 0.
 * @param enough a path that cannot reach this may get any lower number, which saves most of the work; by default all are scored exactly.
 */
export function fuzzyScore(query: FuzzyQuery, path: string, enough = NONE): number | undefined {
  if (query.words.length === 0) return 0;
  let most = 0;
  let forNames = 0;
  readNameBounds(path);
  for (const word of query.words) {
    if (!isInOrder(word, path)) return undefined;
    forNames += nameBonus(word, path);
    most += boundsFor(word, path)[word.units.length - 1] ?? 0;
  }
  const spare = most + forNames - enough;
  if (spare < 0) return TOO_LOW;
  readPath(path);
  let sum = forNames;
  for (const word of query.words) {
    findPlaces(word);
    const end = fillRows(word, boundsFor(word, path), spare);
    if (end === undefined) return TOO_LOW;
    sum += atPlace[(word.units.length - 1) * length + end] ?? NONE;
  }
  return sum;
}

/** Returns the places of the letters that gave a path its score: UTF-16 units, ascending, each once. Empty without a match. */
export function fuzzyPlaces(query: FuzzyQuery, path: string): number[] {
  if (!query.words.every((word) => isInOrder(word, path))) return [];
  readNameBounds(path);
  readPath(path);
  const places = new Set<number>();
  for (const word of query.words) {
    findPlaces(word);
    for (const place of wayBack(word, fillRows(word, boundsFor(word, path), Infinity) ?? 0)) places.add(place);
  }
  return [...places].sort((a, b) => a - b);
}

function boundsFor(word: Word, path: string): readonly number[] {
  return path.endsWith("/") ? word.mostInFolder : word.mostInFile;
}

function readPath(path: string): void {
  length = path.length;
  if (raw.length < length) {
    raw = new Uint16Array(length * 2);
    lower = new Uint16Array(length * 2);
  }
  for (let index = 0; index < length; index += 1) {
    const unit = path.charCodeAt(index);
    raw[index] = unit;
    lower[index] = lowerUnit(unit);
  }
}

function readNameBounds(path: string): void {
  nameEnd = path.endsWith("/") ? path.length - 1 : path.length;
  nameStart = nameEnd === 0 ? 0 : path.lastIndexOf("/", nameEnd - 1) + 1;
}

/** Lower-cases a unit. The table of `foldUnit` is big, while nearly all paths are ASCII. */
function lowerUnit(unit: number): number {
  if (unit >= 128) return foldUnit(unit);
  return unit >= 65 && unit <= 90 ? unit + 32 : unit;
}

function isInOrder(word: Word, path: string): boolean {
  let place = 0;
  for (let letter = 0; letter < word.units.length; letter += 1, place += 1) {
    const exact = word.exact[letter] ?? 0;
    const unit = word.units[letter];
    if (exact === 0) while (place < path.length && lowerUnit(path.charCodeAt(place)) !== unit) place += 1;
    else while (place < path.length && path.charCodeAt(place) !== exact) place += 1;
    if (place >= path.length) return false;
  }
  return true;
}

/** Returns the path in which a letter of a word is searched: as it is, or in lower case. */
function pathFor(word: Word, letter: number): Uint16Array {
  return word.exact[letter] === 0 ? lower : raw;
}

function unitOf(word: Word, letter: number): number | undefined {
  const exact = word.exact[letter];
  return exact === 0 ? word.units[letter] : exact;
}

/** Finds the range of places of each letter of a word that is in the path. */
function findPlaces(word: Word): void {
  const count = word.units.length;
  let place = 0;
  for (let letter = 0; letter < count; letter += 1, place += 1) {
    const path = pathFor(word, letter);
    const unit = unitOf(word, letter);
    while (path[place] !== unit) place += 1;
    firstPlace[letter] = place;
  }
  place = length - 1;
  for (let letter = count - 1; letter >= 0; letter -= 1, place -= 1) {
    const path = pathFor(word, letter);
    const unit = unitOf(word, letter);
    while (path[place] !== unit) place -= 1;
    lastPlace[letter] = place;
  }
}

/**
 * Computes the best sums.
 * @param bounds the most that the letters up to each one can have.
 * @param spare how much less than that is enough.
 * @returns the place of the last letter with the best sum, the first of equals; undefined when it would not be enough.
 */
function fillRows(word: Word, bounds: readonly number[], spare: number): number | undefined {
  const count = word.units.length;
  if (atPlace.length < count * length) {
    atPlace = new Int32Array(count * length * 2);
    upTo = new Int32Array(count * length * 2);
  }
  let best = NONE;
  let bestPlace = 0;
  for (let letter = 0; letter < count; letter += 1) {
    const row = letter * length;
    const above = row - length;
    const last = lastPlace[letter] ?? 0;
    // The row extends to the last place that the next letter may look back to.
    const end = letter + 1 < count ? (lastPlace[letter + 1] ?? 0) - 1 : last;
    const path = pathFor(word, letter);
    const unit = unitOf(word, letter);
    best = NONE;
    let reach = NONE;
    for (let place = firstPlace[letter] ?? 0; place <= end; place += 1) {
      reach -= SKIPPED;
      let sum = NONE;
      if (path[place] === unit && place <= last) {
        const bonus = placeBonus(place);
        const own = LETTER + (place >= nameStart ? IN_NAME : 0);
        if (letter === 0) sum = own + 2 * bonus;
        else {
          const before = above + place - 1;
          const run = (atPlace[before] ?? NONE) + Math.max(RUN, bonus);
          sum = own + Math.max(run, (upTo[before] ?? NONE) + bonus);
        }
        if (sum > best) {
          best = sum;
          bestPlace = place;
        }
        if (sum > reach) reach = sum;
      }
      atPlace[row + place] = sum;
      upTo[row + place] = reach;
    }
    if ((bounds[letter] ?? 0) - best > spare) return undefined;
  }
  return bestPlace;
}

/** Returns the places that led to the best sum with the last letter at `end`, from the last to the first. */
function wayBack(word: Word, end: number): number[] {
  const places = [end];
  let place = end;
  for (let letter = word.units.length - 1; letter > 0; letter -= 1) {
    const sum = atPlace[letter * length + place] ?? NONE;
    const above = (letter - 1) * length;
    const bonus = placeBonus(place);
    const own = LETTER + (place >= nameStart ? IN_NAME : 0);
    const isRun = sum === own + (atPlace[above + place - 1] ?? NONE) + Math.max(RUN, bonus);
    place -= 1;
    while (!isRun && atPlace[above + place] !== upTo[above + place]) place -= 1;
    places.push(place);
  }
  return places;
}

/** Returns the bonus of a place: the start of a segment, of a word, or of a hump in camelCase. */
function placeBonus(place: number): number {
  if (place === 0) return PART_START;
  const before = raw[place - 1] ?? 0;
  if (before === SLASH) return PART_START;
  // Words are separated by whatever is neither a letter nor a digit; beyond ASCII everything counts as a letter.
  if (!isLetterOrDigit(before)) return isLetterOrDigit(raw[place] ?? 0) ? WORD_START : 0;
  const isCapital = raw[place] !== lower[place];
  if (isCapital && before === lower[place - 1]) return HUMP;
  return isDigit(raw[place] ?? 0) && !isDigit(before) ? HUMP : 0;
}

function isDigit(unit: number): boolean {
  return unit >= 48 && unit <= 57;
}

function isLetterOrDigit(unit: number): boolean {
  return isDigit(unit) || (unit >= 97 && unit <= 122) || (unit >= 65 && unit <= 90) || unit >= 128;
}

/** Returns the bonus of a word that the name starts with, or that is the end of the path from the start of a segment. */
function nameBonus(word: Word, path: string): number {
  const count = word.units.length;
  if (word.hasSlash) {
    const end = word.units[count - 1] === SLASH ? path.length : nameEnd;
    const start = end - count;
    const isWhole = start >= 0 && (start === 0 || path.charCodeAt(start - 1) === SLASH) && isAt(word, path, start);
    return isWhole ? 3 * NAME_BEGINS : 0;
  }
  if (count > nameEnd - nameStart || !isAt(word, path, nameStart)) return 0;
  if (nameStart + count === nameEnd) return 3 * NAME_BEGINS;
  return path.lastIndexOf(".") === nameStart + count ? 2 * NAME_BEGINS : NAME_BEGINS;
}

function isAt(word: Word, path: string, start: number): boolean {
  for (let letter = 0; letter < word.units.length; letter += 1) {
    const unit = path.charCodeAt(start + letter);
    const exact = word.exact[letter];
    if (exact === 0 ? lowerUnit(unit) !== word.units[letter] : unit !== exact) return false;
  }
  return true;
}
