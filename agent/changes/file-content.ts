import { isUtf8 } from "node:buffer";
import { closeSync, open, read } from "node:fs";
import { lstat, readFile, readlink, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { ChangeSide } from "./change-journal.ts";
import { type ContentStore, MAX_CONTENT_BYTES } from "./content-store.ts";
import { differExactly, differInMode, PERMISSIONS } from "./file-mode.ts";
import type { FileText } from "./file-review.ts";

const openFile = promisify(open);
const readFrom = promisify(read);

/** The bytes of a file, and its permissions and the time of its last change (Unix ms) if known. */
export interface FileBytes {
  readonly bytes: Uint8Array;
  readonly mode?: number | undefined;
  readonly mtimeMs?: number | undefined;
}

/** A symbolic link with its target, or a folder with its permissions. */
export type OtherEntry = { readonly link: string } | { readonly folder: number };

/**
 * The state of a file: null when it does not exist, its bytes, or the reason why they are unknown. Only `readEntry` returns links and folders.
 */
export type FileContent = null | FileBytes | OtherEntry | { readonly unknown: "tooLarge" | "notSeen" | "unreadable" };

/** Reads a file from the disk; null for a folder. Never throws. */
export async function readContent(path: string): Promise<FileContent> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return null;
    if (!stats.isFile()) return { unknown: "unreadable" };
    if (stats.size > MAX_CONTENT_BYTES) return { unknown: "tooLarge" };
    const mode = process.platform === "win32" ? undefined : stats.mode & PERMISSIONS; // on Windows it does not tell executables
    return { bytes: await readBytes(path, stats.size), mode };
  } catch (error) {
    return isMissing(error) ? null : { unknown: "unreadable" };
  }
}

/**
 * Reads what stands at a path, with links and folders as such. A path that leads through a link has nothing: what stands there belongs to another
 * place. Never throws.
 */
export async function readEntry(path: string): Promise<FileContent> {
  try {
    const parent = dirname(path);
    if ((await realpath(parent)) !== parent) return null;
    const stats = await lstat(path);
    if (stats.isSymbolicLink()) return { link: await readlink(path) };
    if (stats.isDirectory()) return { folder: stats.mode & PERMISSIONS };
    if (!stats.isFile()) return { unknown: "unreadable" };
    if (stats.size > MAX_CONTENT_BYTES) return { unknown: "tooLarge" };
    const mode = process.platform === "win32" ? undefined : stats.mode & PERMISSIONS;
    return { bytes: await readBytes(path, stats.size), mode, mtimeMs: stats.mtimeMs };
  } catch (error) {
    return isMissing(error) ? null : { unknown: "unreadable" };
  }
}

/** Reads a file of `size` bytes in as few steps as possible: the cost of reading a small file is that each step wakes a thread. */
async function readBytes(path: string, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(size + 1);
  const file = await openFile(path, "r");
  const { bytesRead } = await readFrom(file, bytes, 0, bytes.length, 0).finally(() => closeSync(file));
  return bytesRead === size ? bytes.subarray(0, size) : readFile(path); // it is growing or shrinking
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** True for a symbolic link; false when nothing is there. */
export async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() === true;
}

/** True when the bytes of a file are known. */
export function isBytes(content: FileContent | undefined): content is FileBytes {
  return content !== null && content !== undefined && "bytes" in content;
}

/** Returns the permissions of a file; undefined when they are unknown, or the file does not exist. */
export function modeOf(content: FileContent): number | undefined {
  return isBytes(content) ? content.mode : undefined;
}

/** Converts a text to the content of a file; null for no file. */
export function toContent(text: FileText, mode?: number): FileContent {
  return text === null ? null : { bytes: Buffer.from(text), mode };
}

/** True when two contents are known to be equal, and equally executable. */
export function isSameContent(a: FileContent, b: FileContent): boolean {
  return hasSameBytes(a, b) && !differInMode(modeOf(a), modeOf(b));
}

/** True when two contents are known to be equal, with all permissions that are known of both. */
export function isSameEntry(a: FileContent, b: FileContent): boolean {
  return hasSameBytes(a, b) && !differExactly(permissionsOf(a), permissionsOf(b));
}

/** Returns the permissions of a file or folder; undefined when they are unknown, or nothing has them. */
export function permissionsOf(content: FileContent): number | undefined {
  return content !== null && "folder" in content ? content.folder : modeOf(content);
}

/** True when two contents are known to be equal, whatever their permissions. */
export function hasSameBytes(a: FileContent, b: FileContent): boolean {
  if (a === null || b === null) return a === b;
  if (isBytes(a) && isBytes(b)) return Buffer.compare(a.bytes, b.bytes) === 0;
  if ("link" in a && "link" in b) return a.link === b.link;
  return "folder" in a && "folder" in b;
}

/** True when nothing exists at a path. */
export function isGone(path: string): Promise<boolean> {
  return lstat(path).then(
    () => false,
    () => true,
  );
}

/** Stores a content, so that a change can refer to it. @throws Error of the file system. */
export async function keepContent(content: FileContent, store: Pick<ContentStore, "put">): Promise<ChangeSide> {
  if (!isBytes(content)) return content;
  const hash = await store.put(content.bytes);
  const { mode, mtimeMs } = content;
  return { hash, ...(mode === undefined ? {} : { mode }), ...(mtimeMs === undefined ? {} : { mtimeMs }) };
}

/** Loads the content that a change refers to; undefined when it was deleted. */
export async function findContent(
  side: ChangeSide,
  store: Pick<ContentStore, "get">,
): Promise<FileContent | undefined> {
  if (side === null || !("hash" in side)) return side;
  const bytes = await store.get(side.hash);
  return bytes && { bytes, mode: side.mode, mtimeMs: side.mtimeMs };
}

/** Decodes a content; undefined when it is not text, such as an image. */
export function toText(content: FileContent): FileText | undefined {
  if (content === null) return null;
  if (!isBytes(content) || !isUtf8(content.bytes) || content.bytes.includes(0)) return undefined;
  return Buffer.from(content.bytes).toString("utf8");
}
