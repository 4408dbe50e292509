import { createHash } from "node:crypto";
import type { ChangeHunk, FileChange, ShownContent } from "../protocol/changes.ts";
import { type FileContent, isBytes, isSameEntry, permissionsOf, toText } from "./file-content.ts";
import { differExactly } from "./file-mode.ts";
import { hunkKey } from "./file-review.ts";
import { findHunks, type Hunk, splitLines } from "./line-diff.ts";

/** A file before and after some changes. */
export interface Sides {
  readonly before: FileContent;
  readonly after: FileContent;
}

/** Returns the hunks between two contents; undefined when one of them is no text. */
export function hunksBetween({ before, after }: Sides): Hunk[] | undefined {
  const [old, made] = [toText(before), toText(after)];
  return old === undefined || made === undefined ? undefined : findHunks(splitLines(old ?? ""), splitLines(made ?? ""));
}

/** Returns the id of a hunk, which is unique in its file and stays the same while the hunk does. */
export function hunkId(hunk: Hunk): string {
  return createHash("sha256").update(hunkKey(hunk)).digest("hex").slice(0, 16);
}

/** Converts a hunk to its form on the wire. */
export function toWireHunk(hunk: Hunk): ChangeHunk {
  const { beforeStart, before, afterStart, after } = hunk;
  return {
    id: hunkId(hunk),
    beforeLine: beforeStart + 1,
    before: [...before],
    afterLine: afterStart + 1,
    after: [...after],
  };
}

/** Describes a change of a file; undefined for one of a folder, or when both sides are the same. */
export function describeFile(path: string, sides: Sides): Omit<FileChange, "toolCallIds"> | undefined {
  const { before, after } = sides;
  if (isSameEntry(before, after) || isFolderOrNone(before, after)) return undefined;
  const hunks = hunksBetween(sides);
  const [was, became] = [permissionsOf(before), permissionsOf(after)];
  const hasOtherMode = was !== undefined && became !== undefined && differExactly(was, became);
  return {
    path,
    kind: before === null ? "created" : after === null ? "deleted" : "modified",
    added: (hunks ?? []).reduce((sum, hunk) => sum + hunk.after.length, 0),
    removed: (hunks ?? []).reduce((sum, hunk) => sum + hunk.before.length, 0),
    ...(hunks === undefined ? { isBinary: true } : {}),
    ...(hasOtherMode ? { mode: { before: was, after: became } } : {}),
  };
}

function isFolderOrNone(...contents: readonly FileContent[]): boolean {
  return contents.every((content) => content === null || "folder" in content);
}

/** Converts a content to its form on the wire; undefined is one that is no longer stored. */
export function toShown(content: FileContent | undefined): ShownContent {
  if (content === undefined) return { kind: "unknown", reason: "deleted" };
  if (content === null || "folder" in content) return { kind: "none" };
  if ("link" in content) return { kind: "link", target: content.link };
  if (!isBytes(content)) return { kind: "unknown", reason: content.unknown };
  const mode = content.mode === undefined ? {} : { mode: content.mode };
  const text = toText(content);
  if (typeof text === "string") return { kind: "text", text, ...mode };
  return { kind: "binary", sizeBytes: content.bytes.length, ...mode };
}
