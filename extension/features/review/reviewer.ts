import type * as vscode from "vscode";
import { modeOf, toText } from "../../../agent/changes/file-content.ts";
import { writeWithMode } from "../../../agent/changes/file-mode.ts";
import { catchUp, hunkKey, hunksOf, keepHunk, undoHunk, withMarkOf } from "../../../agent/changes/file-review.ts";
import type { Hunk } from "../../../agent/changes/line-diff.ts";
import { modeUndone, type PendingFile, type ReviewBook } from "../../../agent/changes/review-book.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { restoreContent, writeText } from "./write-text.ts";

/** Keeps or undoes the agent's changes, by hunk, by file, or all. The user's changes since stay. */
export class Reviewer {
  readonly #changes: ChangeTracker;

  constructor(changes: ChangeTracker) {
    this.#changes = changes;
  }

  /** Returns the pending files of one session, or all. */
  files(session?: string): readonly PendingFile[] {
    const files = this.#changes.book?.files ?? [];
    return session === undefined ? files : files.filter(({ sessions }) => sessions.includes(session));
  }

  /**
   * Returns the agent's hunks in a document as it is now, in order. For display only: for a moment after a change on the disk, a document still
   * has the old text.
   */
  hunksIn(document: vscode.TextDocument): readonly Hunk[] {
    if (document.uri.scheme !== "file") return [];
    const review = this.#changes.book?.get(document.uri.fsPath)?.review;
    const now = review && catchUp(review, withMarkOf(review, document.getText()));
    return now === undefined ? [] : hunksOf(now);
  }

  /** Updates the review when the user has saved a file. */
  saved(document: vscode.TextDocument): void {
    const { fsPath, scheme } = document.uri;
    const review = scheme === "file" ? this.#changes.book?.get(fsPath)?.review : undefined;
    if (review !== undefined) this.#changes.book?.catchUp(fsPath, withMarkOf(review, document.getText()));
  }

  /** Keeps a hunk, by its index in the present file. @param key the hunk's key; nothing happens when another hunk has that index by now. */
  async keep(path: string, index: number, key?: string): Promise<void> {
    const { book, file, hunk } = await this.#find(path, index, key);
    if (file?.review !== undefined && hunk !== undefined) book.judged(path, keepHunk(file.review, hunk));
  }

  /** Undoes a hunk, identified in the same way. @throws Error when the editor refuses. */
  async undo(path: string, index: number, key?: string): Promise<void> {
    const { book, file, hunk } = await this.#find(path, index, key);
    if (file?.review === undefined || hunk === undefined) return;
    const text = undoHunk(file.review, hunk);
    await writeWithMode(path, { mode: modeOf(file.before), always: false }, () => writeText(path, text));
    book.catchUp(path, text);
  }

  /** Keeps all changes of a file. */
  async keepFile(path: string): Promise<void> {
    const { book } = await this.#changes.open();
    book.close(path);
  }

  /** Undoes all changes of a file. @throws Error when the editor refuses, or the earlier content is unknown. */
  async undoFile(path: string): Promise<void> {
    const { book, file } = await this.#find(path, 0);
    if (file === undefined) return;
    await restoreContent(path, file.before, modeUndone(file));
    book.close(path);
  }

  async #find(path: string, index: number, key?: string) {
    const { book } = await this.#changes.open();
    const current = toText(await this.#changes.read(path));
    const file = current === undefined ? book.get(path) : book.catchUp(path, current);
    const there = file?.review === undefined ? undefined : hunksOf(file.review)[index];
    const hunk = there === undefined || key === undefined || hunkKey(there) === key ? there : undefined;
    const found: { book: ReviewBook; file: PendingFile | undefined; hunk: Hunk | undefined } = { book, file, hunk };
    return found;
  }
}
