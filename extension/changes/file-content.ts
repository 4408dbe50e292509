import { isUtf8 } from "node:buffer";
import { closeSync, open, read } from "node:fs";
import { lstat, readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import type { ChangeSide } from "./change-journal.ts";
import { type ContentStore, MAX_CONTENT_BYTES } from "./content-store.ts";
import type { FileText } from "./file-review.ts";

const openFile = promisify(open);
const readFrom = promisify(read);

/** What a file holds: nothing because there is none, its bytes, or why they are not known. */
export type FileContent = null | Uint8Array | { readonly unknown: "tooLarge" | "notSeen" | "unreadable" };

/** Reads a file of the disk; a folder is no file. Never throws. */
export async function readContent(path: string): Promise<FileContent> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return null;
    if (!stats.isFile()) return { unknown: "unreadable" };
    return stats.size > MAX_CONTENT_BYTES ? { unknown: "tooLarge" } : await readBytes(path, stats.size);
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

/** Whether two contents are surely the same. */
export function isSameContent(a: FileContent, b: FileContent): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
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
  return content instanceof Uint8Array ? { hash: await store.put(content) } : content;
}

/** A content that a change names; undefined when it is not there any more. */
export async function findContent(side: ChangeSide, store: ContentStore): Promise<FileContent | undefined> {
  return side !== null && "hash" in side ? store.get(side.hash) : side;
}

/** A content as text; undefined for what is none, such as pictures. */
export function toText(content: FileContent): FileText | undefined {
  if (content === null) return null;
  if (!(content instanceof Uint8Array) || !isUtf8(content) || content.includes(0)) return undefined;
  return Buffer.from(content).toString("utf8");
}
