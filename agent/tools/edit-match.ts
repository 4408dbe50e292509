import { lineFeedView, looseView, type TextView, toLoose } from "./text-view.ts";

/** One replacement. */
export interface Edit {
  oldText: string;
  newText: string;
}

/** A stretch of the original text and what takes its place. Positions are UTF-16 units. */
export interface Replacement {
  editIndex: number;
  start: number;
  end: number;
  newText: string;
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
  const replacements = edits.map((edit, editIndex) => {
    const name = edits.length === 1 ? undefined : `edits[${editIndex}]`;
    const range = locate(exact, getLoose, toLineFeeds(edit.oldText), { path, name });
    return { editIndex, ...range, newText: withEndingsOf(original, range, toLineFeeds(edit.newText)) };
  });
  replacements.sort((a, b) => a.start - b.start);
  requireDisjoint(replacements, path);
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

interface EditName {
  path: string;
  /** Absent when there is only one edit. */
  name: string | undefined;
}

function locate(exact: TextView, getLoose: () => TextView | undefined, oldText: string, edit: EditName): Range {
  if (oldText === "")
    throw new Error(`${edit.name === undefined ? "" : `${edit.name}.`}oldText must not be empty in ${edit.path}.`);
  const exactHits = findAll(exact.text, oldText);
  if (exactHits.length > 0) return onlyRange(exact, exactHits, oldText.length, edit);
  const wanted = toLoose(oldText);
  const view = wanted.trim() === "" ? undefined : getLoose();
  if (view === undefined) throw new Error(notFoundText(edit));
  const endsInBlank = /[^\S\n]$/.test(oldText);
  const hits = findAll(view.text, wanted).filter(
    (at) => !endsInBlank || isFollowedByBlank(view.text, at + wanted.length),
  );
  if (hits.length === 0) throw new Error(notFoundText(edit));
  return onlyRange(view, hits, wanted.length, edit);
}

function onlyRange(view: TextView, hits: readonly number[], length: number, { path, name }: EditName): Range {
  const [at = 0] = hits;
  if (hits.length === 1) return { start: view.originalStart(at), end: view.originalEnd(at + length) };
  throw new Error(
    name === undefined
      ? `Found ${hits.length} occurrences of the text in ${path}. The text must be unique. Please provide more context to make it unique.`
      : `Found ${hits.length} occurrences of ${name} in ${path}. Each oldText must be unique. Please provide more context to make it unique.`,
  );
}

function notFoundText({ path, name }: EditName): string {
  return name === undefined
    ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
    : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`;
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

function requireDisjoint(sorted: readonly Replacement[], path: string): void {
  for (const [index, next] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous === undefined || previous.end <= next.start) continue;
    const first = Math.min(previous.editIndex, next.editIndex);
    const second = Math.max(previous.editIndex, next.editIndex);
    throw new Error(
      `edits[${first}] and edits[${second}] overlap in ${path}. Merge them into one edit or target disjoint regions.`,
    );
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
