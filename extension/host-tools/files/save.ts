import * as vscode from "vscode";
import * as z from "zod";
import { findHunks, splitLines } from "../../changes/line-diff.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, reportText } from "../listing.ts";
import { describeUri, findFile } from "../workspace-files.ts";

/** Saves files, or throws their unsaved changes away. */
export const saveFiles = defineHostTool({
  name: "vscode_save",
  label: "Save",
  description: "Saves unsaved files, and tells what saving changed, such as formatting.",
  isReadOnly: false,
  approval: "edit",
  input: z.object({ path: z.string().min(1).optional().describe("default all") }),
  async run({ path }, context) {
    const documents =
      path === undefined ? unsaved() : [await vscode.workspace.openTextDocument(await findFile(path, context.folder))];
    const dirty = documents.filter(({ isDirty, uri }) => isDirty && uri.scheme === "file");
    if (dirty.length === 0) return "There is nothing to save.";
    const paths = dirty.map(({ uri }) => uri.fsPath);
    const lines = await context.recordChanges(paths, () => Promise.all(dirty.map(save)));
    return reportText(`Saved ${count(dirty.length, "file")}:`, lines);
  },
});

/** Throws the user's unsaved changes away, after asking. */
export const revertFile = defineHostTool({
  name: "vscode_revert_file",
  label: "Revert file",
  description: "Throws the unsaved changes of a file away.",
  isReadOnly: false,
  approval: "always",
  input: z.object({ path: z.string().min(1) }),
  async run({ path }, context) {
    const document = await vscode.workspace.openTextDocument(await findFile(path, context.folder));
    const file = describeUri(document.uri);
    if (!document.isDirty) return `${file} has no unsaved changes.`;
    const saved = await vscode.workspace.fs.readFile(document.uri);
    await context.recordChanges([document.uri.fsPath], async () => {
      if (!(await takeFromDisk(document, saved))) throw new HostToolFailed(`${file} could not be reverted.`);
    });
    return `${file} is as it was saved.`;
  },
});

/** Makes a document what its file holds. Saving may change that once more, as by formatting, or for want of the right encoding. */
async function takeFromDisk(document: vscode.TextDocument, saved: Uint8Array): Promise<boolean> {
  const { uri, encoding } = document;
  const text = await vscode.workspace.decode(saved, { encoding });
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  const isSaved = (await vscode.workspace.applyEdit(edit)) && (await document.save());
  if (!isSaved) return false;
  // The editor takes over by itself what a file without unsaved changes holds.
  if (Buffer.compare(await vscode.workspace.fs.readFile(uri), saved) !== 0)
    await vscode.workspace.fs.writeFile(uri, saved);
  return true;
}

/** Files with changes that are not on the disk. */
export function unsaved(): vscode.TextDocument[] {
  return vscode.workspace.textDocuments.filter(({ isDirty, uri }) => isDirty && uri.scheme === "file");
}

async function save(document: vscode.TextDocument): Promise<string> {
  const before = splitLines(document.getText());
  const isSaved = await document.save();
  const file = describeUri(document.uri);
  if (!isSaved) return `${file}: not saved, the editor refused. It may have changed on the disk: ask the user.`;
  const hunks = findHunks(before, splitLines(document.getText()));
  return hunks.length === 0 ? file : `${file}: saving changed ${count(hunks.length, "place")}`;
}
