import { createWriteStream, type WriteStream } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { type Deferred, deferred } from "./deferred.ts";
import { crypto } from "./late-node.ts";
import { TerminalText } from "./terminal-text.ts";
import { characterStart, DEFAULT_LIMITS, type Limits, type Truncation, truncateTail } from "./truncate.ts";

const LINE_FEED = 0x0a;

/** The end of an output, and what is known about all of it. */
export interface OutputSnapshot {
  /** The last lines within the limits. */
  text: string;
  truncation: Truncation;
  /** File with the whole output, once the limits were passed. */
  fullOutputPath: string | undefined;
  /** UTF-8 bytes of the last line, of which `text` may hold only the end. */
  lastLineBytes: number;
}

interface CollectorOptions {
  limits?: Limits;
  /** False if the end of the output is enough, and no file has all of it. */
  keepsFile?: boolean;
  /** Folder of the file with the whole output. */
  directory?: string | undefined;
  /** Gets each new piece of plain text; joined they are the whole output. */
  onText?(text: string): void;
}

/**
 * Keeps the end of an unbounded output in bounded memory, as plain text without terminal sequences. Once the output passes the limits, all
 * of it, from its first byte, goes to a private file as well.
 */
export class OutputCollector {
  readonly #limits: Limits;
  readonly #directory: string;
  readonly #onText: ((text: string) => void) | undefined;
  readonly #terminal = new TerminalText();
  readonly #decoder = new StringDecoder("utf8");
  readonly #tail: Buffer;
  #tailLength = 0;
  #totalBytes = 0;
  #lineFeeds = 0;
  #currentLineBytes = 0;
  #previousLineBytes = 0;
  #file: WriteStream | undefined;
  #fullOutputPath: string | undefined;
  #isFileLost: boolean;
  #caughtUp: Deferred<void> | undefined;

  constructor({ limits = DEFAULT_LIMITS, keepsFile = true, directory = tmpdir(), onText }: CollectorOptions = {}) {
    this.#isFileLost = !keepsFile;
    this.#limits = limits;
    this.#directory = directory;
    this.#onText = onText;
    this.#tail = Buffer.allocUnsafe(limits.maxBytes * 2);
  }

  /** Takes the next bytes, which may begin or end inside a character. */
  push(chunk: Buffer): void {
    this.#add(this.#terminal.write(chunk));
  }

  /** Resolves when the file has caught up, at once when there is none. */
  async drained(): Promise<void> {
    if (this.#file?.writableNeedDrain !== true) return;
    this.#caughtUp ??= deferred();
    await this.#caughtUp.promise;
  }

  /** Returns the output so far. */
  snapshot(): OutputSnapshot {
    const pending = this.#terminal.pending;
    const tail = this.#tail.subarray(0, this.#tailLength);
    const bytes = pending.length === 0 ? tail : Buffer.concat([tail, pending]);
    const isCut = this.#totalBytes > this.#tailLength;
    const text = bytes.subarray(isCut ? characterStart(bytes, 0) : 0).toString();
    const { content, truncation } = truncateTail(text, this.#limits);
    return {
      text: content,
      truncation: {
        ...truncation,
        totalLines: this.#totalLines(pending),
        totalBytes: this.#totalBytes + pending.length,
      },
      fullOutputPath: this.#fullOutputPath,
      lastLineBytes: this.#currentLineBytes > 0 ? this.#currentLineBytes : this.#previousLineBytes,
    };
  }

  /** Ends the collection, and waits until the file is written. */
  async finish(): Promise<OutputSnapshot> {
    this.#add(this.#terminal.end());
    const rest = this.#decoder.end();
    if (rest !== "") this.#onText?.(rest);
    const file = this.#file;
    this.#file = undefined;
    if (file !== undefined && !file.closed) {
      const closed = new Promise<void>((resolve) => file.once("close", resolve));
      file.end();
      await closed;
    }
    return this.snapshot();
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#onText !== undefined) {
      const text = this.#decoder.write(bytes);
      if (text !== "") this.#onText(text);
    }
    const before = this.#totalBytes;
    this.#count(bytes);
    if (this.#fullOutputPath !== undefined || this.#isFileLost) {
      this.#file?.write(bytes);
    } else if (this.#totalBytes > this.#limits.maxBytes || this.#totalLines() > this.#limits.maxLines) {
      this.#openFile();
      // Until the limits are passed the tail is all there was; it is copied because it is about to change.
      if (before > 0) this.#file?.write(Buffer.from(this.#tail.subarray(0, this.#tailLength)));
      this.#file?.write(bytes);
    }
    this.#keepTail(bytes);
  }

  #count(bytes: Buffer): void {
    let lineStart = 0;
    for (let at = 0; at < bytes.length; at++) {
      if (bytes[at] !== LINE_FEED) continue;
      this.#lineFeeds++;
      this.#previousLineBytes = this.#currentLineBytes + at - lineStart;
      this.#currentLineBytes = 0;
      lineStart = at + 1;
    }
    this.#currentLineBytes += bytes.length - lineStart;
    this.#totalBytes += bytes.length;
  }

  #totalLines(pending?: Buffer): number {
    const openLines = this.#currentLineBytes > 0 ? 1 : 0;
    return this.#lineFeeds + openLines + (pending === undefined ? 0 : linesAfter(pending, openLines === 1));
  }

  #keepTail(bytes: Buffer): void {
    const tail = this.#tail;
    if (bytes.length >= tail.length) {
      this.#tailLength = bytes.copy(tail, 0, bytes.length - tail.length);
      return;
    }
    if (this.#tailLength + bytes.length > tail.length) {
      const kept = Math.min(this.#limits.maxBytes, tail.length - bytes.length);
      tail.copyWithin(0, this.#tailLength - kept, this.#tailLength);
      this.#tailLength = kept;
    }
    this.#tailLength += bytes.copy(tail, this.#tailLength);
  }

  #openFile(): void {
    const path = join(this.#directory, `pi-bash-${crypto().randomBytes(8).toString("hex")}.log`);
    const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
    this.#fullOutputPath = path;
    this.#file = file;
    const release = () => {
      this.#caughtUp?.resolve();
      this.#caughtUp = undefined;
    };
    file.on("drain", release);
    file.on("close", release);
    file.on("error", () => {
      // A full disk must not fail the command; its end is still shown, only the file is not offered.
      this.#fullOutputPath = undefined;
      this.#file = undefined;
      this.#isFileLost = true;
    });
  }
}

/** Counts the lines of drawings, which begin with a line feed when a line is open. */
function linesAfter(pending: Buffer, isLineOpen: boolean): number {
  if (pending.length === 0) return 0;
  return pending.filter((byte) => byte === LINE_FEED).length + (isLineOpen ? 0 : 1);
}
