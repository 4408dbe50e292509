import { readFile, stat } from "node:fs/promises";
import { resolveExistingPath } from "../util/existing-path.ts";
import { isSystemError } from "../util/paths.ts";
import { ordinaryPath } from "../util/windows-names.ts";
import { detectFileKind, type FileKind } from "./file-kind.ts";
import { type LineWindow, type LineWindowOptions, readLineWindow } from "./line-window.ts";
import { PathNotFound } from "./path-not-found.ts";
import { stampOfStats } from "./seen-files.ts";

/** A file that `read` may look into, wherever it lies. */
export interface ReadableFile {
  /** Absolute path, or the address of a document without a file. */
  path: string;
  /** Differs for every state of the file; undefined when that is not known. */
  stamp?: string | undefined;
  sizeBytes: number;
  kind: FileKind;
  readAll(): Promise<Buffer>;
  readLines(options: LineWindowOptions): Promise<LineWindow>;
  /** Told which lines the model is shown. */
  shown?: ((lines: ShownLines) => void) | undefined;
}

/** Lines of a text, counted from 1, the last one included. */
export interface ShownLines {
  readonly first: number;
  readonly last: number;
  /** The number of lines. */
  readonly total: number;
}

/** Opens what a path means, seen from a folder. @throws Error when nothing is there that could be read. */
export type OpenFile = (cwd: string, shownPath: string) => Promise<ReadableFile>;

/** Opens a file of this machine. */
export async function openLocalFile(cwd: string, shownPath: string): Promise<ReadableFile> {
  const path = ordinaryPath(await resolveExistingPath(cwd, shownPath));
  const stats = await stat(path).catch((error: unknown) => {
    throw isSystemError(error) && error.code === "ENOENT" ? new PathNotFound(error.message, shownPath) : error;
  });
  if (stats.isDirectory())
    throw new Error(`EISDIR: illegal operation on a directory, read '${path}'. Use ls to list it.`);
  // Opening a pipe or a device would wait for somebody at its other end.
  if (!stats.isFile()) throw new Error(`Not a regular file: ${shownPath}`);
  return {
    path,
    stamp: stampOfStats(stats),
    sizeBytes: stats.size,
    kind: await detectFileKind(path),
    readAll: () => readFile(path),
    readLines: (options) => readLineWindow(path, options),
  };
}
