import { type LineSpan, linesOf, showBeginning, showNearest, showPlaces } from "./edit-place.ts";

/** How a refusal names an edit. */
export interface EditName {
  path: string;
  /** Absent when there is only one edit. */
  name: string | undefined;
}

/** The text of an edit is not in the file; the message shows the nearest lines. */
export class TextNotFound extends Error {
  /** @param text of the file, with LF at the ends of lines. */
  constructor({ path, name }: EditName, text: string, oldText: string) {
    const problem =
      name === undefined
        ? `Could not find the exact text in ${path}. The old text must match exactly including all whitespace and newlines.`
        : `Could not find ${name} in ${path}. The oldText must match exactly including all whitespace and newlines.`;
    super(`${problem}\n${showNearest(text, oldText)}`);
  }
}

/** The text of an edit is empty. */
export function emptyText({ path, name }: EditName, text: string): Error {
  const field = name === undefined ? "oldText" : `${name}.oldText`;
  return new Error(
    `${field} must not be empty in ${path}. To add text, use a line next to the place as oldText and repeat it in newText.\n${showBeginning(text)}`,
  );
}

/** The text of an edit is in several places. */
export function notUnique({ path, name }: EditName, text: string, places: readonly LineSpan[]): Error {
  const problem =
    name === undefined
      ? `Found ${places.length} occurrences of the text in ${path}. The text must be unique.`
      : `Found ${places.length} occurrences of ${name} in ${path}. Each oldText must be unique.`;
  const advice = "Please provide more context to make it unique. To change all of them, set replaceAll.";
  return new Error(`${problem} ${advice}\n${showPlaces(text, places)}`);
}

/** Two edits change the same stretch. */
export function overlapping(path: string, original: string, first: EditedStretch, second: EditedStretch): Error {
  const spans = [first, second].map(({ start, end }) => linesOf(original, start, end));
  const problem = `edits[${first.editIndex}] and edits[${second.editIndex}] overlap in ${path}.`;
  return new Error(
    `${problem} Merge them into one edit or target disjoint regions.\n${showPlaces(original.replaceAll("\r\n", "\n"), spans)}`,
  );
}

interface EditedStretch {
  editIndex: number;
  start: number;
  end: number;
}

/** The edits leave the file as it is. @param place where the first of them applies. */
export function unchanged(path: string, count: number, original: string, place: EditedStretch | undefined): Error {
  const problem =
    count === 1
      ? `No changes made to ${path}. The replacement produced identical content. This might indicate an issue with special characters or the text not existing as expected.`
      : `No changes made to ${path}. The replacements produced identical content.`;
  if (place === undefined) return new Error(problem);
  const span = linesOf(original, place.start, place.end);
  return new Error(`${problem}\n${showPlaces(original.replaceAll("\r\n", "\n"), [span])}`);
}
