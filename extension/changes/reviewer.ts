import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import type { ChangeTracker } from "./change-tracker.ts";
import { toText } from "./file-content.ts";
import {
  catchUp,
  type FileText,
  hunkKey,
  hunksOf,
  keepHunk,
  undoHunk,
  withMarkOf,
  withoutMark,
} from "./file-review.ts";
import { findHunks, type Hunk, splitLines } from "./line-diff.ts";
import type { PendingFile, ReviewBook } from "./review-book.ts";

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
    await writeText(path, text);
    book.catchUp(path, text);
  }

  /** Keeps all of a file. */
  async keepFile(path: string): Promise<void> {
    const { book } = await this.#changes.open();
    book.judged(path, undefined);
  }

  /** Takes all of a file back. @throws Error when the editor refuses, or what the file held before is not known. */
  async undoFile(path: string): Promise<void> {
    const { book, file } = await this.#find(path, 0);
    if (file === undefined) return;
    if (file.review !== undefined) await writeText(path, file.review.baseline);
    else if (file.before === null) await writeText(path, null);
    else if (file.before instanceof Uint8Array) await vscode.workspace.fs.writeFile(vscode.Uri.file(path), file.before);
    else throw new Error(t("What {0} held before is not known.", path));
    book.judged(path, undefined);
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

/**
 * Makes a file hold a text, as a step that the editor's Undo takes back; null deletes it. Only lines that differ are touched, so cursors stay.
 * It is saved unless it had unsaved changes.
 * @throws Error when the editor refuses.
 */
export async function writeText(path: string, text: FileText): Promise<void> {
  const uri = vscode.Uri.file(path);
  const edit = new vscode.WorkspaceEdit();
  const document = await openQuietly(uri);
  const wasDirty = document?.isDirty === true;
  if (text === null) edit.deleteFile(uri, { ignoreIfNotExists: true });
  else if (document === undefined) edit.createFile(uri, { contents: Buffer.from(text), overwrite: true });
  else edit.set(uri, editsFor(document, text));
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("{0} could not be changed. Try again.", path));
  if (document !== undefined && text !== null && !wasDirty) await document.save();
}

/** Documents have one kind of line end, and no byte order mark: the editor writes that of the file again. */
function editsFor(document: vscode.TextDocument, text: string): vscode.TextEdit[] {
  const { eol } = document;
  const lineEnd = eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const wanted = splitLines(withoutMark(text).replace(/\r?\n/g, lineEnd));
  const edits = findHunks(splitLines(document.getText()), wanted).map(({ beforeStart, before, after }) => {
    // A file that does not end with a line end has no line behind its last one.
    const range = document.validateRange(new vscode.Range(beforeStart, 0, beforeStart + before.length, 0));
    return new vscode.TextEdit(range, after.join(""));
  });
  const wantedEol = eolOf(text);
  return wantedEol === undefined || wantedEol === eol ? edits : [...edits, vscode.TextEdit.setEndOfLine(wantedEol)];
}

/** Undefined for a text without line ends or with both kinds. */
function eolOf(text: string): vscode.EndOfLine | undefined {
  const [hasCrLf, hasLf] = [text.includes("\r\n"), /(?<!\r)\n/.test(text)];
  if (hasCrLf === hasLf) return undefined;
  return hasCrLf ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
}

async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined; // there is no such file now
  }
}
