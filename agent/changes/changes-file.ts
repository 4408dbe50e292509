/** The end of the names of files with the changes of a session. */
export const CHANGES_EXTENSION = ".changes";

/** Returns the path of the file with the changes of a session. */
export function changesFile(sessionFile: string): string {
  return sessionFile.replace(/\.jsonl$/, "") + CHANGES_EXTENSION;
}
