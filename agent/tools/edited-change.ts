import type { EditedChange } from "../protocol/dialogs.ts";
import { describeChange } from "./edit-diff.ts";
import { applyReplacements, replacementFor } from "./edit-match.ts";

const BYTE_ORDER_MARK = "\ufeff";
/** Most of what the user changed that the model is shown, in UTF-16 units. */
const MAX_PATCH_LENGTH = 20_000;

/**
 * The text that a file is to have when the user has edited a proposal. What they left alone stays as proposed, with its line endings.
 * @param current what the file has now. @param proposed what the call would make of it.
 * @throws Error with a text for the model when the file is not what the user saw.
 */
export async function applyEdited(
  file: { path: string; current: string; proposed: string },
  { before, after }: EditedChange,
): Promise<string> {
  const { path, current, proposed } = file;
  if (comparable(current) !== comparable(before)) {
    throw new Error(
      `${path} changed while the user was reviewing the proposal, so nothing was written. Read it again and retry.${await describeEdited(path, proposed, after)}`,
    );
  }
  const mark = proposed.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const text = proposed.slice(mark.length);
  return mark + applyReplacements(text, [replacementFor(text, comparable(after))]);
}

/** True if the user has taken back all of a proposal. */
export function isNothingLeft({ before, after }: EditedChange): boolean {
  return comparable(before) === comparable(after);
}

/** Tells the model, in a paragraph of its own, what the user made of its proposal; "" when they left it as it was. */
export async function describeEdited(path: string, proposed: string, accepted: string): Promise<string> {
  if (comparable(proposed) === comparable(accepted)) return "";
  const { patch } = await describeChange(path, comparable(proposed), comparable(accepted));
  const head = "\n\nThe user edited your proposal before accepting it; keep what they changed.";
  return patch.length > MAX_PATCH_LENGTH
    ? `${head} That is too much to show here: read the file before you go on.`
    : `${head} From what you proposed to what they accepted:\n${patch}`;
}

function comparable(text: string): string {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  return plain.replaceAll("\r\n", "\n");
}
