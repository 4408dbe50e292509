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

  /** Absolute path; undefined when nothing is kept. */
  get path(): string | undefined {
    return this.#path;
  }

  /** True if a later process could open the conversation: it is on disk, or it never will be. */
  get isSaved(): boolean {
    return this.#path === undefined || this.#file !== undefined;
  }

  /** True if nothing is written for now. */
  get isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  /** Goes on with a file that was read; the lock is given back when that fails. */
  resume(path: string, end: FileEnd, lock: SessionLock): void {
    this.#file = SessionFile.reopen(path, end);
    this.#lock = lock;
  }

  /**
   * Writes an entry. A file that was deleted meanwhile is written anew.
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

  /** Is kept in a file from here on, with all that there is. @throws what writing does; nothing is kept then. */
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

  /** Ends the writing. */
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
