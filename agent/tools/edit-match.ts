import { linesOf } from "./edit-place.ts";
import { type EditName, emptyText, notUnique, overlapping, TextNotFound } from "./edit-refusals.ts";
import { findShifted } from "./edit-shift.ts";
import { lineFeedView, looseView, type TextView, toLoose } from "./text-view.ts";

/** One replacement. */
export interface Edit {
  oldText: string;
  newText: string;
  /** True if every occurrence is meant. */
  replaceAll?: boolean | undefined;
}

/** A stretch of the original text and what takes its place. Positions are UTF-16 units. */
export interface Replacement {
  editIndex: number;
  start: number;
  end: number;
  newText: string;
  /** True if the indentation of the edit was shifted to that of the text. */
  isShifted?: boolean;
}

/** Above this size only exact matches are looked for, because the tolerant search holds several numbers per character. */
const MAX_LOOSE_LENGTH = 8_000_000;

const BYTE_ORDER_MARK = "\ufeff";

/**
 * Finds where each edit applies in a text: exactly, or else tolerantly. All edits look at the original.
 * @returns the replacements in the order of the text, in the line endings of the place they go to.
 * @throws Error with a text for the model when an edit fits nowhere, in several places, or overlaps another.
 */
export function matchEdits(original: string, edits: readonly Edit[], path: string): Replacement[] {
  const exact = lineFeedView(original);
  let loose: TextView | undefined;
  const getLoose = () => {
    if (original.length > MAX_LOOSE_LENGTH) return undefined;
    loose ??= looseView(exact);
    return loose;
  };
  const replacements = edits.flatMap(({ oldText, newText, replaceAll }, editIndex) => {
    const edit = { oldText: toLineFeeds(oldText), newText: toLineFeeds(newText), replaceAll };
    const name = edits.length === 1 ? undefined : `edits[${editIndex}]`;
    return locate(exact, getLoose, edit, { path, name }).map((place) => ({
      ...place,
      editIndex,
      newText: withEndingsOf(original, place, place.newText),
    }));
  });
  replacements.sort((a, b) => a.start - b.start);
  requireDisjoint(original, replacements, path);
  return replacements;
}

/** The one replacement that makes a text another one, whose lines end in LF. Line endings outside of it stay as they are. */
export function replacementFor(original: string, wanted: string): Replacement {
  const view = lineFeedView(original);
  const shortest = Math.min(view.text.length, wanted.length);
  let prefix = 0;
  while (prefix < shortest && view.text.charCodeAt(prefix) === wanted.charCodeAt(prefix)) prefix++;
  let suffix = 0;
  while (
    suffix < shortest - prefix &&
    view.text.charCodeAt(view.text.length - 1 - suffix) === wanted.charCodeAt(wanted.length - 1 - suffix)
  ) {
    suffix++;
  }
  const range = { start: view.originalStart(prefix), end: view.originalEnd(view.text.length - suffix) };
  const newText = withEndingsOf(original, range, wanted.slice(prefix, wanted.length - suffix));
  return { editIndex: 0, ...range, newText };
}

/** Applies replacements that do not overlap and are in order. */
export function applyReplacements(original: string, replacements: readonly Replacement[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end, newText } of replacements) {
    parts.push(original.slice(from, start), newText);
    from = end;
  }
  parts.push(original.slice(from));
  return parts.join("");
}

interface Range {
  start: number;
  end: number;
}

type Place = Range & Pick<Replacement, "newText" | "isShifted">;

/** An edit applies where its text is, else where a reader would see its text, else where it is with another indentation. */
function locate(exact: TextView, getLoose: () => TextView | undefined, edit: Edit, about: EditName): Place[] {
  const { oldText, newText } = edit;
  if (oldText === "") throw emptyText(about, exact.text);
  const exactHits = findAll(exact.text, oldText);
  if (exactHits.length > 0) return placesOf({ exact, view: exact, hits: exactHits, wanted: oldText }, edit, about);
  const wanted = toLoose(oldText);
  const view = wanted.trim() === "" ? undefined : getLoose();
  if (view === undefined) throw new TextNotFound(about, exact.text, oldText);
  const endsInBlank = /[^\S\n]$/.test(oldText);
  const hits = findAll(view.text, wanted).filter(
    (at) => !endsInBlank || isFollowedByBlank(view.text, at + wanted.length),
  );
  if (hits.length > 0) return placesOf({ exact, view, hits, wanted }, edit, about);
  const shifted = findShifted(exact.text, { oldText, newText });
  if (shifted === undefined) throw new TextNotFound(about, exact.text, oldText);
  return [{ ...rangeIn(exact, shifted.start, shifted.end), newText: shifted.newText, isShifted: true }];
}

interface Hits {
  exact: TextView;
  /** The view that was searched. */
  view: TextView;
  /** Where the text was found in it, in order. */
  hits: readonly number[];
  wanted: string;
}

function placesOf({ exact, view, hits, wanted }: Hits, { newText, replaceAll }: Edit, about: EditName): Place[] {
  const { length } = wanted;
  const overlap = hits.some((at, index) => at + length > (hits[index + 1] ?? Number.POSITIVE_INFINITY));
  if (hits.length > 1 && (replaceAll !== true || overlap)) {
    // Both views have the same lines.
    const spans = hits.map((at) => linesOf(view.text, at, at + length));
    throw notUnique(about, exact.text, spans);
  }
  return hits.map((at) => ({ ...rangeIn(view, at, at + length), newText }));
}

function rangeIn(view: TextView, start: number, end: number): Range {
  return { start: view.originalStart(start), end: view.originalEnd(end) };
}

/** Blanks that end the wanted text were dropped, so that the end of a word must not match the middle of one. */
function isFollowedByBlank(text: string, at: number): boolean {
  return at >= text.length || /\s/.test(text.charAt(at));
}

/** Overlapping occurrences count too: which of them is meant would be a guess. */
function findAll(text: string, wanted: string): number[] {
  const hits: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) hits.push(at);
  return hits;
}

function requireDisjoint(original: string, sorted: readonly Replacement[], path: string): void {
  for (const [index, next] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous === undefined || previous.end <= next.start) continue;
    const [first, second] = previous.editIndex <= next.editIndex ? [previous, next] : [next, previous];
    throw overlapping(path, original, first, second);
  }
}

function toLineFeeds(text: string): string {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return plain.replaceAll("\r\n", "\n");
}

function withEndingsOf(original: string, range: Range, newText: string): string {
  return usesCrLf(original, range) ? newText.replaceAll("\n", "\r\n") : newText;
}

/** The line ending of the replaced stretch decides; when it has none, the first one of the file. */
function usesCrLf(original: string, { start, end }: Range): boolean {
  const inside = original.slice(start, end).indexOf("\n");
  const feed = inside === -1 ? original.indexOf("\n") : start + inside;
  return feed > 0 && original[feed - 1] === "\r";
}
