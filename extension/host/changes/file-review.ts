import { applyHunk, findHunks, type Hunk, revertHunk, splitLines } from "../../editor/line-diff.ts";
import { mergeLines } from "./merge-lines.ts";

const BYTE_ORDER_MARK = "\uFEFF";

/** The text of a file; null when there is no file. */
export type FileText = string | null;

/**
 * What the agent did to one file and nobody has judged yet. `baseline` is the file without it but with everything that the user did;
 * `known` is the file as it was when this was last worked out.
 */
export interface FileReview {
  readonly baseline: FileText;
  readonly known: FileText;
}

/** Takes a change of the agent's: from what to what. @returns undefined when nothing is left to judge. */
export function noteChange(review: FileReview | undefined, before: FileText, after: FileText): FileReview | undefined {
  const baseline = review === undefined ? before : withoutUser(review, before);
  return baseline === after ? undefined : { baseline, known: after };
}

/** Brings a review up to the file as it is now: what has changed since was the user's doing. */
export function catchUp(review: FileReview, current: FileText): FileReview | undefined {
  const baseline = withoutUser(review, current);
  return baseline === current ? undefined : { baseline, known: current };
}

/** The text of a document, which has no byte order mark, as its file holds it. */
export function withMarkOf({ known }: FileReview, text: string): string {
  return known?.startsWith(BYTE_ORDER_MARK) === true ? `${BYTE_ORDER_MARK}${text}` : text;
}

/** A text as editors show it. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Tells a hunk from the others of its file, whatever line ends the text has where it is looked at. */
export function hunkKey({ beforeStart, before, after }: Hunk): string {
  return [beforeStart, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
    .join("")
    .replace(/[\r\uFEFF]/g, "");
}

/** The agent's hunks in a review that is up to date. */
export function hunksOf({ baseline, known }: FileReview): Hunk[] {
  return findHunks(splitLines(baseline ?? ""), splitLines(known ?? ""));
}

/** Takes a hunk over for good. @returns undefined when it was the last one. */
export function keepHunk({ baseline, known }: FileReview, hunk: Hunk): FileReview | undefined {
  const kept = applyHunk(splitLines(baseline ?? ""), hunk).join("");
  return kept === known ? undefined : { baseline: kept, known };
}

/** Takes a hunk back. @returns the file as it should be; null when the agent had made it and nothing is left of it. */
export function undoHunk({ baseline, known }: FileReview, hunk: Hunk): FileText {
  const text = revertHunk(splitLines(known ?? ""), hunk).join("");
  return baseline === null && text === "" ? null : text;
}

/**
 * Takes back what turned `before` into `after` from a file that others may have changed since.
 * @returns what the file should be, and in how many places it was changed again, which stay as they are.
 */
export function takeBack(before: FileText, after: FileText, current: FileText): { text: FileText; conflicts: number } {
  if (current === after) return { text: before, conflicts: 0 };
  if (current === null || before === null || after === null) return { text: current, conflicts: 1 };
  const { lines, conflicts } = mergeLines(splitLines(after), splitLines(current), splitLines(before));
  return { text: lines.join(""), conflicts };
}

/** The baseline with what the user did to the file on top. Where the user rewrote lines of the agent's, the old lines stay in it. */
function withoutUser({ baseline, known }: FileReview, current: FileText): FileText {
  if (current === known) return baseline;
  if (baseline === known) return current;
  if (current === null) return baseline;
  const { lines } = mergeLines(splitLines(known ?? ""), splitLines(baseline ?? ""), splitLines(current));
  return baseline === null && lines.length === 0 ? null : lines.join("");
}
