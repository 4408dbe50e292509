import type { KnownSessionEntry } from "../protocol/session-entries.ts";
import { lockSession, type SessionLock } from "./lock.ts";
import { type FileEnd, SessionFile } from "./store.ts";

/** The storage of a conversation: a file from its first user message on, or none. */
export class ConversationFile {
  #path: string | undefined;
  #file: SessionFile | undefined;
  #lock: SessionLock | undefined;
  #isHeldBack = false;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Absolute path; undefined for a conversation in memory. */
  get path(): string | undefined {
    return this.#path;
  }

  /** True if nothing is left to write: the conversation is on disk, or it never will be. */
  get isSaved(): boolean {
    return this.#path === undefined || this.#file !== undefined;
  }

  /** True while writing is held back. */
  get isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** Continues a file that was read; releases the lock if that fails. */
  resume(path: string, end: FileEnd, lock: SessionLock): void {
    this.#file = SessionFile.reopen(path, end);
    this.#lock = lock;
  }

  /**
   * Writes an entry. Writes the whole file again if it was deleted meanwhile.
   * @param before all lines that come before it, should the file begin with this entry.
   */
  append(entry: KnownSessionEntry, before: () => readonly unknown[]): void {
    if (this.#isHeldBack) return;
    const isRemoved = this.#file?.isRemoved === true;
    if (isRemoved) this.close();
    if (this.#file !== undefined) this.#file.append(entry);
    else if (isRemoved || isUserMessage(entry)) this.#create([...before(), entry]);
  }

  /** Writes all entries if the conversation has messages; also ends holding back. */
  begin(entries: Iterable<KnownSessionEntry>, lines: () => readonly unknown[]): void {
    this.#isHeldBack = false;
    if ([...entries].some(isUserMessage)) this.#create(lines());
  }

  /** Keeps everything in memory until `begin`. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /**
   * Writes the conversation to a file, and later entries too. @throws the error of writing; the conversation then stays
   * in memory.
   */
  keepIn(path: string, entries: Iterable<KnownSessionEntry>, lines: () => readonly unknown[]): void {
    this.#path = path;
    try {
      this.begin(entries, lines);
    } catch (error) {
      this.close();
      this.#path = undefined;
      throw error;
    }
  }

  /** Stops writing. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#lock?.release();
    this.#lock = undefined;
  }

  #create(lines: readonly unknown[]): void {
    if (this.#path === undefined) return;
    this.#lock ??= lockSession(this.#path);
    this.#file = SessionFile.create(this.#path, lines);
  }
}

function isUserMessage(entry: KnownSessionEntry): boolean {
  return entry.type === "message" && entry.message.role === "user";
}
