import { constants, copyFileSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import { DAMAGE_MESSAGE_TYPE } from "../protocol/session-entries.ts";
import type { EntryBody } from "./entry-body.ts";
import type { FileEnd } from "./store.ts";

const Told = z.object({ lostLines: z.int() });

/** Returns the paths of the copies that were made beside a damaged session file. */
export function keptCopies(path: string): string[] {
  const folder = dirname(path);
  const beginning = `${basename(path)}.damaged-`;
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith(beginning))
      .map((name) => join(folder, name));
  } catch {
    return []; // no such folder: there is no file either
  }
}

/**
 * Copies a damaged file once, to a file beside it with the same permissions.
 * @returns the path of the copy; undefined if copying failed.
 */
export function keepAsFound(path: string): string | undefined {
  const [before] = keptCopies(path);
  if (before !== undefined) return before;
  const copy = `${path}.damaged-${new Date().toISOString().replace(/[:.]/g, "-")}`;
  try {
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    return copy;
  } catch {
    return undefined; // the caller leaves the file as it is
  }
}

/** The steps for lost lines when a file is opened for writing. */
export interface Rescue {
  /** The end from which writing continues: an incomplete line is cut off only if there is a copy. */
  end: FileEnd;
  /** The notice for the conversation; undefined if nothing was lost, or if the conversation already has it. */
  notice: EntryBody | undefined;
}

/** Copies a file if lines of it were lost. @param entries the readable entries. */
export function rescue(path: string, { lostLines, ...end }: LostLines, entries: Iterable<KnownSessionEntry>): Rescue {
  if (lostLines === 0) return { end, notice: undefined };
  const keptAs = keepAsFound(path);
  const isTold = isDamageTold(entries, lostLines);
  return {
    end: keptAs === undefined ? { validBytes: Number.POSITIVE_INFINITY, needsNewline: true } : end,
    notice: isTold ? undefined : damageNotice(lostLines, keptAs),
  };
}

interface LostLines extends FileEnd {
  lostLines: number;
}

function damageNotice(lostLines: number, keptAs: string | undefined): EntryBody {
  const lines = lostLines === 1 ? "1 line" : `${lostLines} lines`;
  const kept =
    keptAs === undefined
      ? "Tiller couldn't copy the file and left it unchanged."
      : `Tiller kept a copy of the original file as ${keptAs}.`;
  const content = `${lines} of this session's file couldn't be read, so messages may be missing. ${kept}`;
  return { type: "custom_message", customType: DAMAGE_MESSAGE_TYPE, content, display: true, details: { lostLines } };
}

/** True when a conversation already says that this many lines were lost. */
function isDamageTold(entries: Iterable<KnownSessionEntry>, lostLines: number): boolean {
  for (const entry of entries) {
    if (entry.type !== "custom_message" || entry.customType !== DAMAGE_MESSAGE_TYPE) continue;
    if ((Told.safeParse(entry.details).data?.lostLines ?? 0) >= lostLines) return true;
  }
  return false;
}
