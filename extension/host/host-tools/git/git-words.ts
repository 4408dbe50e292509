import * as z from "zod";

/** Words for the states of a file, indexed by `Status` of the git extension's API. */
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

/** Returns a word for the status of a file. */
export function statusWord(status: number): string {
  return WORDS[status] ?? "changed";
}

/** True when the file is untracked, so that no diff shows it. */
export function isUntracked({ status }: { readonly status: number }): boolean {
  return status === UNTRACKED;
}

/** A commit or branch. Git would take a leading dash for an option, and some options write files. */
export const GitRef = z
  .string()
  .min(1)
  .refine((ref) => !ref.startsWith("-"), "a commit or branch can't start with a dash");
