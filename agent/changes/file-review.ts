import { applyHunk, findHunks, type Hunk, revertHunk, splitLines } from "./line-diff.ts";
import { mergeLines } from "./merge-lines.ts";

const BYTE_ORDER_MARK = "\uFEFF";

/** The text of a file; null when there is no file. */
export type FileText = string | null;

/**
 * The agent's changes to one file that are not reviewed yet. `baseline` is the file without them, but with the user's changes; `known` is the file
 * when the baseline was last computed.
 */
export interface FileReview {
  readonly baseline: FileText;
  readonly known: FileText;
}

/** Adds a change of the agent from `before` to `after`. @returns undefined when nothing is left to review. */
export function noteChange(review: FileReview | undefined, before: FileText, after: FileText): FileReview | undefined {
  const baseline = review === undefined ? before : withoutUser(review, before);
  return baseline === after ? undefined : { baseline, known: after };
}

/** Updates a review to the current file; what has changed since is the user's. */
export function catchUp(review: FileReview, current: FileText): FileReview | undefined {
  const baseline = withoutUser(review, current);
  return baseline === current ? undefined : { baseline, known: current };
}

/** Adds the byte order mark of the file, if it has one, to the text of its document, which never has one. */
export function withMarkOf({ known }: FileReview, text: string): string {
  return known?.startsWith(BYTE_ORDER_MARK) === true ? `${BYTE_ORDER_MARK}${text}` : text;
}

/** Removes the byte order mark, as editors do. */
export function withoutMark(text: string): string {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Returns a key of a hunk, unique within its file and independent of line ends. */
export function hunkKey({ beforeStart, before, after }: Hunk): string {
  return [beforeStart, ...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]
    .join("")
    .replace(/[\r\uFEFF]/g, "");
}

/** Returns the agent's hunks of a review that is up to date. */
export function hunksOf({ baseline, known }: FileReview): Hunk[] {
  return findHunks(splitLines(baseline ?? ""), splitLines(known ?? ""));
}

/** Accepts a hunk. @returns undefined when it was the last one. */
export function keepHunk({ baseline, known }: FileReview, hunk: Hunk): FileReview | undefined {
  const kept = applyHunk(splitLines(baseline ?? ""), hunk).join("");
  return kept === known ? undefined : { baseline: kept, known };
}

/** Undoes a hunk. @returns the new content of the file; null when the agent had created it and nothing is left of it. */
export function undoHunk({ baseline, known }: FileReview, hunk: Hunk): FileText {
  const text = revertHunk(splitLines(known ?? ""), hunk).join("");
  return baseline === null && text === "" ? null : text;
}

/**
 * Undoes the change from `before` to `after` in a file that may have been changed since.
 * @returns the new content, and the number of places that were changed again, which stay as they are.
 */
export function takeBack(before: FileText, after: FileText, current: FileText): { text: FileText; conflicts: number } {
  if (current === after) return { text: before, conflicts: 0 };
  if (current === null || before === null || after === null) return { text: current, conflicts: 1 };
  const { lines, conflicts } = mergeLines(splitLines(after), splitLines(current), splitLines(before));
  return { text: lines.join(""), conflicts };
}

/** Applies the user's changes to the baseline. Where the user rewrote lines of the agent, it keeps the old lines. */
function withoutUser({ baseline, known }: FileReview, current: FileText): FileText {
  if (current === known) return baseline;
  if (baseline === known) return current;
  if (current === null) return baseline;
  const { lines } = mergeLines(splitLines(known ?? ""), splitLines(baseline ?? ""), splitLines(current));
  return baseline === null && lines.length === 0 ? null : lines.join("");
}
