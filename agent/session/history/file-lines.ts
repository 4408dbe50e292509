import { closeSync, fstatSync, readSync } from "node:fs";
import { openRegular } from "../regular-file.ts";
import type { Slices } from "./slices.ts";

const LF = 0x0a;
const PIECE_BYTES = 256 * 1024;

/** A line of a file. */
export interface FileLine {
  /** Bytes before it. */
  offset: number;
  /** Its bytes, the LF left out. */
  length: number;
  /** The line, or the part of its beginning that is kept; valid only until the next line. */
  bytes: Buffer;
  /** True if it ends with LF. */
  isEnded: boolean;
}

/** Options for reading. */
export interface LineSource {
  path: string;
  /** The start; default: the start of the file. */
  from?: number;
  /**
   * Returns how many bytes of a long line with this beginning are kept; of a longer line, only the beginning is known.
   */
  keepBytes(head: Buffer): number;
  slices: Slices;
}

/** True if all of a line was kept. */
export function isWhole({ bytes, length }: FileLine): boolean {
  return bytes.length === length;
}

/**
 * Passes on the lines of a file one after another. Never keeps the whole file in memory.
 * @param take may return true to end the reading.
 */
export async function readLines(source: LineSource, take: (line: FileLine) => boolean): Promise<void> {
  const fd = openRegular(source.path);
  try {
    const lines = new Lines(source, take);
    const rest = fstatSync(fd).size - lines.offset;
    const piece = Buffer.allocUnsafe(Math.max(1, Math.min(PIECE_BYTES, rest)));
    for (let at = lines.offset; ; ) {
      const length = readSync(fd, piece, 0, piece.length, at);
      if (length === 0) break;
      if (lines.push(piece.subarray(0, length))) return;
      at += length;
      await source.slices.rest();
    }
    lines.end();
  } finally {
    closeSync(fd);
  }
}

/** Reads `length` bytes from `offset`; fewer at the end of the file. */
export function readAt(path: string, offset: number, length: number): Buffer {
  const fd = openRegular(path);
  try {
    const bytes = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const count = readSync(fd, bytes, filled, length - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return bytes.subarray(0, filled);
  } finally {
    closeSync(fd);
  }
}

/** Finds the lines in pieces of a file. */
class Lines {
  readonly #take: (line: FileLine) => boolean;
  readonly #keepBytes: LineSource["keepBytes"];
  /** The start of the unfinished line. */
  offset: number;
  /** Its content in earlier pieces. */
  #parts: Buffer[] = [];
  #room = 0;
  #length = 0;

  constructor({ from = 0, keepBytes }: LineSource, take: (line: FileLine) => boolean) {
    this.#take = take;
    this.#keepBytes = keepBytes;
    this.offset = from;
  }

  /** @returns whether enough was read. */
  push(piece: Buffer): boolean {
    let start = 0;
    for (let end = piece.indexOf(LF); end !== -1; end = piece.indexOf(LF, start)) {
      const isEnough = this.#finish(piece.subarray(start, end), true);
      start = end + 1;
      if (isEnough) return true;
    }
    this.#keep(piece.subarray(start));
    return false;
  }

  end(): void {
    if (this.#length > 0) this.#finish(Buffer.alloc(0), false);
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#length === 0) this.#room = this.#keepBytes(bytes);
    this.#length += bytes.length;
    if (this.#room === 0) return;
    const part = Buffer.from(bytes.subarray(0, this.#room)); // the piece will be overwritten
    this.#parts.push(part);
    this.#room -= part.length;
  }

  #finish(last: Buffer, isEnded: boolean): boolean {
    const length = this.#length + last.length;
    const bytes = this.#length === 0 ? last : Buffer.concat([...this.#parts, last.subarray(0, this.#room)]);
    const line = { offset: this.offset, length, bytes, isEnded };
    this.offset += length + (isEnded ? 1 : 0);
    this.#parts = [];
    this.#length = 0;
    return this.#take(line);
  }
}
