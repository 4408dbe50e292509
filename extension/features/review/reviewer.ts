import type * as vscode from "vscode";
import type { Hunk } from "../../editor/line-diff.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { modeOf, toText } from "../../host/changes/file-content.ts";
import { writeWithMode } from "../../host/changes/file-mode.ts";
import { catchUp, hunkKey, hunksOf, keepHunk, undoHunk, withMarkOf } from "../../host/changes/file-review.ts";
import { modeUndone, type PendingFile, type ReviewBook } from "../../host/changes/review-book.ts";
import { restoreContent, writeText } from "./write-text.ts";

/** Judges what the agent did: keeps it or takes it back, by hunk, by file, or all. What the user did in the meantime stays. */
export class Reviewer {
  readonly #changes: ChangeTracker;

  constructor(changes: ChangeTracker) {
    this.#changes = changes;
  }

  /** The files that wait, those of one session or all. */
  files(session?: string): readonly PendingFile[] {
    const files = this.#changes.book?.files ?? [];
    return session === undefined ? files : files.filter(({ sessions }) => sessions.includes(session));
  }

  /**
   * The agent's hunks in a document as it is now, in order. Nothing is concluded from it: for a moment after a change on the disk, a document still
   * has the text from before.
   */
  hunksIn(document: vscode.TextDocument): readonly Hunk[] {
    if (document.uri.scheme !== "file") return [];
    const review = this.#changes.book?.get(document.uri.fsPath)?.review;
    const now = review && catchUp(review, withMarkOf(review, document.getText()));
    return now === undefined ? [] : hunksOf(now);
  }

  /** What the user has saved is what there is. */
  saved(document: vscode.TextDocument): void {
    const { fsPath, scheme } = document.uri;
    const review = scheme === "file" ? this.#changes.book?.get(fsPath)?.review : undefined;
    if (review !== undefined) this.#changes.book?.catchUp(fsPath, withMarkOf(review, document.getText()));
  }

  /** Keeps a hunk, by its number in the file as it is now. @param key of the hunk; nothing happens when another stands there by now. */
  async keep(path: string, index: number, key?: string): Promise<void> {
    const { book, file, hunk } = await this.#find(path, index, key);
    if (file?.review !== undefined && hunk !== undefined) book.judged(path, keepHunk(file.review, hunk));
  }

  /** Takes a hunk back, named in the same way. @throws Error when the editor refuses. */
  async undo(path: string, index: number, key?: string): Promise<void> {
    const { book, file, hunk } = await this.#find(path, index, key);
    if (file?.review === undefined || hunk === undefined) return;
    const text = undoHunk(file.review, hunk);
    await writeWithMode(path, { mode: modeOf(file.before), always: false }, () => writeText(path, text));
    book.catchUp(path, text);
  }

  /** Keeps all of a file. */
  async keepFile(path: string): Promise<void> {
    const { book } = await this.#changes.open();
    book.close(path);
  }

  /** Takes all of a file back. @throws Error when the editor refuses, or what the file held before is not known. */
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
