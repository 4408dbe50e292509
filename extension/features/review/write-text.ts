import * as vscode from "vscode";
import { type FileContent, isBytes, modeOf, readContent, toText } from "../../../agent/changes/file-content.ts";
import { type WantedMode, writeWithMode } from "../../../agent/changes/file-mode.ts";
import { type FileText, withoutMark } from "../../../agent/changes/file-review.ts";
import { findHunks, splitLines } from "../../../agent/changes/line-diff.ts";
import { t } from "../../../webview/l10n.ts";

/**
 * Makes a file hold a text, in one step that the editor can undo; null deletes it. Only lines that differ are touched, so cursors stay. It is saved
 * unless it had unsaved changes. Right after a change on the disk, when the editor still has the old text, it is written to the disk.
 * @throws Error when the editor refuses.
 */
export async function writeText(path: string, text: FileText): Promise<void> {
  const uri = vscode.Uri.file(path);
  const edit = new vscode.WorkspaceEdit();
  const document = await openQuietly(uri);
  if (text !== null && document !== undefined && (await isBehind(document))) {
    await vscode.workspace.fs.writeFile(uri, Buffer.from(text));
    return;
  }
  const wasDirty = document?.isDirty === true;
  if (text === null) edit.deleteFile(uri, { ignoreIfNotExists: true });
  else if (document === undefined) edit.createFile(uri, { contents: Buffer.from(text), overwrite: true });
  else {
    const edits = editsFor(document, text);
    if (edits.length === 0) return;
    edit.set(uri, edits);
  }
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(t("Couldn't change {0}. Try again.", path));
  if (document !== undefined && text !== null && !wasDirty) await document.save();
}

/**
 * Restores a file with the permissions that it had; text as in `writeText`.
 * @param wanted permissions other than those of the content.
 * @throws Error when the editor refuses, or the earlier content is unknown.
 */
export async function restoreContent(
  path: string,
  content: FileContent,
  wanted: WantedMode = { mode: modeOf(content), always: true },
): Promise<void> {
  const text = toText(content);
  await writeWithMode(path, wanted, async () => {
    if (text !== undefined) await writeText(path, text);
    else if (isBytes(content)) await vscode.workspace.fs.writeFile(vscode.Uri.file(path), content.bytes);
    else throw new Error(t("Can't restore {0} because its earlier content isn't known.", path));
  });
}

/** Returns the edits for a document, which has one kind of line end and no byte order mark: the editor writes the file's own again. */
function editsFor(document: vscode.TextDocument, text: string): vscode.TextEdit[] {
  const { eol } = document;
  const lineEnd = eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
  const wanted = splitLines(withoutMark(text).replace(/\r?\n/g, lineEnd));
  const edits = findHunks(splitLines(document.getText()), wanted).map(({ beforeStart, before, after }) => {
    // A file without a final line end has no line after its last one.
    const range = document.validateRange(new vscode.Range(beforeStart, 0, beforeStart + before.length, 0));
    return new vscode.TextEdit(range, after.join(""));
  });
  const wantedEol = eolOf(text);
  return wantedEol === undefined || wantedEol === eol ? edits : [...edits, vscode.TextEdit.setEndOfLine(wantedEol)];
}

/** Returns undefined for a text without line ends or with both kinds. */
function eolOf(text: string): vscode.EndOfLine | undefined {
  const [hasCrLf, hasLf] = [text.includes("\r\n"), /(?<!\r)\n/.test(text)];
  if (hasCrLf === hasLf) return undefined;
  return hasCrLf ? vscode.EndOfLine.CRLF : vscode.EndOfLine.LF;
}

async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined; // the file does not exist now
  }
}

/** True when the editor has not yet loaded the present content of the file. */
async function isBehind(document: vscode.TextDocument): Promise<boolean> {
  if (document.isDirty) return false;
  const onDisk = toText(await readContent(document.uri.fsPath));
  return typeof onDisk === "string" && inLines(withoutMark(onDisk)) !== inLines(document.getText());
}

function inLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}
