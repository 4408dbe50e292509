import * as vscode from "vscode";
import { findHunks, splitLines } from "../../changes/line-diff.ts";
import { type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { count } from "../listing.ts";
import { describeUri } from "../workspace-files.ts";

/** What a tool may do when it changes files. */
export type EditContext = Pick<HostToolContext, "recordChanges">;

/**
 * Applies an edit as one step that the user can undo, records it, and saves the files that had no unsaved changes before.
 * @returns lines that say what was changed.
 * @throws HostToolFailed when the editor refuses it; nothing is changed then.
 */
export async function applyEdit(edit: vscode.WorkspaceEdit, context: EditContext): Promise<string[]> {
  const uris = edit.entries().map(([uri]) => uri);
  const documents = await Promise.all(uris.map((uri) => vscode.workspace.openTextDocument(uri)));
  const before = documents.map((document) => ({ document, text: document.getText(), wasDirty: document.isDirty }));
  const paths = uris.filter(({ scheme }) => scheme === "file").map(({ fsPath }) => fsPath);
  await context.recordChanges(paths, async () => {
    if (!(await vscode.workspace.applyEdit(edit, { isRefactoring: true }))) {
      throw new HostToolFailed(
        "The editor refused the edit, so nothing was changed. A file may have changed; try again.",
      );
    }
    for (const { document, wasDirty } of before) if (!wasDirty && document.isDirty) await document.save();
  });
  return before.filter(({ document, text }) => document.getText() !== text).map(describeEdit);
}

interface Edited {
  readonly document: vscode.TextDocument;
  readonly text: string;
  readonly wasDirty: boolean;
}

function describeEdit({ document, text, wasDirty }: Edited): string {
  const hunks = findHunks(splitLines(text), splitLines(document.getText()));
  const added = hunks.reduce((sum, { after }) => sum + after.length, 0);
  const removed = hunks.reduce((sum, { before }) => sum + before.length, 0);
  const unsaved = wasDirty ? " (has unsaved changes of the user's and was not saved)" : "";
  return `${describeUri(document.uri)}: +${added} -${removed} in ${count(hunks.length, "place")}${unsaved}`;
}
