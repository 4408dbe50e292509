import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The end of a session file. */
export interface FileEnd {
  /** Bytes up to the end of the last readable line; an incomplete line after it is cut off before the first append. */
  validBytes: number;
  /** True if the last line is complete but has no LF. */
  needsNewline: boolean;
}

/** The only writer of a session file. Appends complete lines in order. */
export class SessionFile {
  readonly path: string;
  readonly #fd: number;
  #needsNewline: boolean;

  private constructor(path: string, fd: number, needsNewline: boolean) {
    this.path = path;
    this.#fd = fd;
    this.#needsNewline = needsNewline;
  }

  /** Creates a file with these lines. @throws when it already has content or can't be written. */
  static create(path: string, lines: readonly unknown[]): SessionFile {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    const fd = openSync(path, isEmptyFile(path) ? "a" : "ax", FILE_MODE);
    const file = new SessionFile(path, fd, false);
    try {
      for (const line of lines) file.append(line);
    } catch (error) {
      ftruncateSync(fd, 0); // an empty file is one that can still be begun
      file.close();
      throw error;
    }
    return file;
  }

  /** Continues a file that was read, and cuts off an incomplete line at its end. */
  static reopen(path: string, end: FileEnd): SessionFile {
    const fd = openSync(path, "r+", FILE_MODE);
    if (fstatSync(fd).size > end.validBytes) ftruncateSync(fd, end.validBytes);
    closeSync(fd);
    return new SessionFile(path, openSync(path, "a", FILE_MODE), end.needsNewline);
  }

  /** Writes one line, completely or not at all. */
  append(value: unknown): void {
    const bytes = Buffer.from(`${this.#needsNewline ? "\n" : ""}${JSON.stringify(value)}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      if (written > 0) ftruncateSync(this.#fd, fstatSync(this.#fd).size - written);
      throw error;
    }
    this.#needsNewline = false;
  }

  /**
   * True when the file was deleted, so that appended lines would be lost. Also checks the path, because some file
   * systems don't count links.
   */
  get isRemoved(): boolean {
    return fstatSync(this.#fd).nlink === 0 && !existsSync(this.path);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

function isEmptyFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0;
}
