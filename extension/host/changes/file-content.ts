import { isUtf8 } from "node:buffer";
import { closeSync, open, read } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { ChangeSide } from "./change-journal.ts";
import { type ContentStore, MAX_CONTENT_BYTES } from "./content-store.ts";
import { differInMode, PERMISSIONS } from "./file-mode.ts";
import type { FileText } from "./file-review.ts";

const openFile = promisify(open);
const readFrom = promisify(read);

/** What a file holds, and its permissions where they are known. */
export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly mode?: number | undefined;
}

/** What there is of a file: nothing because there is none, its bytes, or why they are not known. */
export type FileContent = null | FileBytes | { readonly unknown: "tooLarge" | "notSeen" | "unreadable" };

/** Reads a file of the disk; a folder is no file. Never throws. */
export async function readContent(path: string): Promise<FileContent> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return null;
    if (!stats.isFile()) return { unknown: "unreadable" };
    if (stats.size > MAX_CONTENT_BYTES) return { unknown: "tooLarge" };
    const mode = process.platform === "win32" ? undefined : stats.mode & PERMISSIONS; // there it says nothing of executing
    return { bytes: await readBytes(path, stats.size), mode };
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
    return isGone ? null : { unknown: "unreadable" };
  }
}

/** Reads a file that is `size` bytes long. Each step wakes a thread, which is what reading a small file costs: so they are as few as may be. */
async function readBytes(path: string, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  const file = await openFile(path, "r");
  const { bytesRead } = await readFrom(file, bytes, 0, bytes.length, 0).finally(() => closeSync(file));
  return bytesRead === size ? bytes.subarray(0, size) : readFile(path); // it grows or shrinks just then
}

/** Whether a path is a symbolic link; not when nothing is there. */
export async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

/** Whether the bytes of a file are known. */
export function isBytes(content: FileContent | undefined): content is FileBytes {
  return content !== null && content !== undefined && "bytes" in content;
}

/** The permissions of a file; undefined when they are not known, or there is no file. */
export function modeOf(content: FileContent): number | undefined {
  return isBytes(content) ? content.mode : undefined;
}

/** A text as the content of a file; null for no file. */
export function toContent(text: FileText, mode?: number): FileContent {
  return text === null ? null : { bytes: Buffer.from(text), mode };
}

/** Whether two contents are surely the same, and can both be executed or both not. */
export function isSameContent(a: FileContent, b: FileContent): boolean {
  return hasSameBytes(a, b) && !differInMode(modeOf(a), modeOf(b));
}

/** Whether two contents are surely the same, whoever may execute them. */
export function hasSameBytes(a: FileContent, b: FileContent): boolean {
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a.bytes, b.bytes) === 0;
  return a === null && b === null;
}

/** Whether nothing is at a path. */
export function isGone(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    () => true,
  );
}

/** Keeps a content, so that a change can name it. @throws Error of the file system. */
export async function keepContent(content: FileContent, store: ContentStore): Promise<ChangeSide> {
  if (!isBytes(content)) return content;
  const hash = await store.put(content.bytes);
  return content.mode === undefined ? { hash } : { hash, mode: content.mode };
}

/** A content that a change names; undefined when it is not there any more. */
export async function findContent(side: ChangeSide, store: ContentStore): Promise<FileContent | undefined> {
  if (side === null || !("hash" in side)) return side;
  const bytes = await store.get(side.hash);
  return bytes && { bytes, mode: side.mode };
}

/** A content as text; undefined for what is none, such as pictures. */
export function toText(content: FileContent): FileText | undefined {
  if (content === null) return null;
  if (!isBytes(content) || !isUtf8(content.bytes) || content.bytes.includes(0)) return undefined;
  return Buffer.from(content.bytes).toString("utf8");
}
