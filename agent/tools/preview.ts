import type { ChangePreview } from "../protocol/dialogs.ts";
import { describeChange } from "./edit-diff.ts";

/** A person who is asked reads no more than this, in UTF-16 units. */
const MAX_DIFF_LENGTH = 100_000;

/** Returns the change from one text to another; undefined if there is none, or too much to show. */
export async function previewChange(
  file: { path: string; shownPath: string },
  before: string,
  after: string,
): Promise<ChangePreview | undefined> {
  if (before === after || Math.abs(after.length - before.length) > MAX_DIFF_LENGTH) return undefined;
  const { diff, patch } = await describeChange(file.shownPath, before, after);
  return diff.length > MAX_DIFF_LENGTH ? undefined : { path: file.path, diff, patch };
}
