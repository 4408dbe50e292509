import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { t } from "../../webview/l10n.ts";
import { type DraftCopy, expandMarks } from "../../webview/protocol/draft.ts";

/** The beginning of the text that stays in the message, in UTF-16 units: it often says what the rest is for. */
const MAX_BEGINNING_CHARS = 500;

/**
 * Moves a message that is too long, pasted text included, into a private file, which the agent may read without asking.
 * @returns the message in its place: the beginning, and the path of the file.
 * @throws what writing does.
 */
export async function moveToFile(
  draft: Pick<DraftCopy, "text" | "attachments">,
  folder: string = tmpdir(),
): Promise<string> {
  const text = expandMarks(draft.text, draft.attachments ?? []);
  const path = join(folder, `tiller-message-${randomBytes(8).toString("hex")}.txt`);
  await writeFile(path, text, { flag: "wx", mode: 0o600 });
  const place = t("The whole message is in the file {0}.", path);
  if (text.length <= MAX_BEGINNING_CHARS) return `${text}\n\n${place}`;
  const beginning = text.slice(0, MAX_BEGINNING_CHARS).replace(/[\ud800-\udbff]$/, ""); // never half a character
  return `${beginning}…\n\n${place}`;
}
