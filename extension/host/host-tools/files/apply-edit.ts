import { isUtf8 } from "node:buffer";
import * as vscode from "vscode";
import { findHunks, splitLines } from "../../../../agent/changes/line-diff.ts";
import { describeUri } from "../../../editor/workspace-files.ts";
import { type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { count } from "../listing.ts";
import { notebookWithChanges } from "../unsaved-files.ts";

/** The context that a tool needs to change files. */
export type EditContext = Pick<HostToolContext, "recordChanges">;

/**
 * Applies an edit in one step that can be undone, records it, and saves the files that had no unsaved changes before.
 * @returns lines that describe the changes.
 * @throws HostToolFailed when the editor refuses the edit; then nothing is changed.
 */
export function applyEdit(edit: vscode.WorkspaceEdit, context: EditContext): Promise<string[]> {
  const uris = edit.entries().map(([uri]) => uri);
  return changeFiles(uris, context, async (isRefactoring) => {
    if (await vscode.workspace.applyEdit(edit, { isRefactoring })) return;
    throw new HostToolFailed("The editor rejected the edit, so nothing changed. A file may have changed; try again.");
  });
}

/** Does the same for other work that changes files in the editor. @param work is told whether none of them has unsaved changes. */
export async function changeFiles(
  uris: readonly vscode.Uri[],
  context: EditContext,
  work: (areSaved: boolean) => Promise<void>,
): Promise<string[]> {
  const before = await Promise.all(uris.map(textBefore));
  const paths = uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  return context.recordChanges(paths, async () => {
    // The editor saves the files of a refactoring, including the user's unsaved changes.
    await work(before.every(({ wasDirty }) => !wasDirty));
    const edited = await Promise.all(before.map(saveEdited));
    return edited.filter(({ text, newText }) => text !== newText).map(describeEdit);
  });
}

interface Before {
  readonly uri: vscode.Uri;
  /** Empty for a file that the edit creates. */
  readonly text: string;
  readonly wasDirty: boolean;
}

interface Edited extends Before {
  readonly newText: string;
  readonly isDirty: boolean;
}

async function textBefore(uri: vscode.Uri): Promise<Before> {
  if (uri.scheme === "file" && notebookWithChanges(uri.fsPath) !== undefined) {
    throw new HostToolFailed(
      `${describeUri(uri)} is a notebook with unsaved changes by the user, so nothing changed. Use vscode_edit_notebook.`,
    );
  }
  const document = await openQuietly(uri);
  if (document !== undefined) await checkEncoding(document);
  return { uri, text: document?.getText() ?? "", wasDirty: document?.isDirty === true };
}

/** @throws HostToolFailed when a file has bytes that are invalid in the encoding that the editor uses for it: saving would destroy them. */
async function checkEncoding(document: vscode.TextDocument): Promise<void> {
  const { uri, encoding } = document;
  if (uri.scheme !== "file" || !document.getText().includes("\uFFFD")) return;
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (!encoding.startsWith("utf8") || isUtf8(bytes)) return;
  throw new HostToolFailed(
    `${describeUri(uri)} isn't in ${encoding}, the encoding the editor reads it in, so nothing changed: saving would destroy characters. Change it with bash, or ask the user to reopen it with its encoding.`,
  );
}

async function saveEdited(before: Before): Promise<Edited> {
  const document = await openQuietly(before.uri);
  if (document?.isDirty === true && !before.wasDirty) await document.save();
  return { ...before, newText: document?.getText() ?? "", isDirty: document?.isDirty === true };
}

/** Returns undefined for a file that does not exist: an edit may create or delete it. */
async function openQuietly(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

function describeEdit({ uri, text, newText, wasDirty, isDirty }: Edited): string {
  const hunks = findHunks(splitLines(text), splitLines(newText));
  const added = hunks.reduce((sum, { after }) => sum + after.length, 0);
  const removed = hunks.reduce((sum, { before }) => sum + before.length, 0);
  const reason = wasDirty ? "has unsaved changes by the user and wasn't saved" : "could not be saved";
  return `${describeUri(uri)}: +${added} -${removed} in ${count(hunks.length, "place")}${isDirty ? ` (${reason})` : ""}`;
}
