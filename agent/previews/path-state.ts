import type { Stats } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";

/** The parts of a mode that can be set. */
const MODE_BITS = 0o7777;
const COMPARED_BYTES = 1 << 20;

/** What is at a path. A link isn't followed. */
export interface PathState {
  kind: "file" | "folder" | "link" | "other";
  mode: number;
  /** In bytes. */
  size: number;
  mtimeMs: number;
  ctimeMs: number;
  ino: number;
  /** The target of a link. */
  target: string | undefined;
}

/** Returns what is at a path; undefined if that is nothing. */
export async function pathState(path: string): Promise<PathState | undefined> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (stats === undefined) return undefined;
  const kind = kindOf(stats);
  const { size, mtimeMs, ctimeMs, ino } = stats;
  const target = kind === "link" ? await readlink(path) : undefined;
  return { kind, mode: stats.mode & MODE_BITS, size, mtimeMs, ctimeMs, ino, target };
}

/** True when nothing has touched a path since its state was read. */
export function isUntouched(before: PathState | undefined, now: PathState | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  if (before.kind === "folder") return now.kind === "folder" && before.mode === now.mode;
  return (
    before.kind === now.kind && before.ino === now.ino && before.ctimeMs === now.ctimeMs && before.size === now.size
  );
}

/** True for two files with the same content. */
export async function haveSameContent(one: string, other: string): Promise<boolean> {
  const files = [await open(one, "r")];
  try {
    files.push(await open(other, "r"));
    const buffers = files.map(() => Buffer.alloc(COMPARED_BYTES));
    for (let at = 0; ; at += COMPARED_BYTES) {
      const [first, second] = await Promise.all(files.map((file, index) => readAt(file, buffers[index], at)));
      if (first === undefined || second === undefined || !first.equals(second)) return false;
      if (first.length < COMPARED_BYTES) return true;
    }
  } finally {
    await Promise.all(files.map((file) => file.close()));
  }
}

async function readAt(
  file: Awaited<ReturnType<typeof open>>,
  buffer: Buffer | undefined,
  at: number,
): Promise<Buffer | undefined> {
  if (buffer === undefined) return undefined;
  const { bytesRead } = await file.read(buffer, 0, COMPARED_BYTES, at);
  return buffer.subarray(0, bytesRead);
}

function kindOf(stats: Stats): PathState["kind"] {
  if (stats.isFile()) return "file";
  if (stats.isDirectory()) return "folder";
  return stats.isSymbolicLink() ? "link" : "other";
}
