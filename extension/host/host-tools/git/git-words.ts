import * as z from "zod";

/** What happened to a file, by the number that the editor's git extension gives it (`Status` of its interface). */
const WORDS = [
  "changed",
  "new",
  "deleted",
  "renamed",
  "copied",
  "changed",
  "deleted",
  "new",
  "ignored",
  "new",
  "renamed",
  "of another type",
  "added by us",
  "added by them",
  "deleted by us",
  "deleted by them",
  "added by both",
  "deleted by both",
  "changed by both",
];
const UNTRACKED = 7;

/** A word for the status of a file. */
export function statusWord(status: number): string {
  return WORDS[status] ?? "changed";
}

/** Whether git does not know the file so far, so that no comparison shows it. */
export function isUntracked({ status }: { readonly status: number }): boolean {
  return status === UNTRACKED;
}

/** A commit or branch. Git takes what begins with a dash for an option, and some of those write files. */
export const GitRef = z
  .string()
  .min(1)
  .refine((ref) => !ref.startsWith("-"), "a commit or branch does not begin with a dash");
