import * as vscode from "vscode";
import * as z from "zod";
import { findHunks, splitLines } from "../../../../agent/changes/line-diff.ts";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, HostToolFailed } from "../host-tool.ts";
import { count, reportText } from "../listing.ts";
import { notebookWithChanges } from "../unsaved-files.ts";

/** Saves files. */
export const saveFiles = defineHostTool({
  name: "vscode_save",
  label: "Save",
  description: "Saves unsaved files, and returns what saving changed, such as formatting.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  approval: "edit",
  input: z.object({ path: z.string().min(1).optional().describe("default all") }),
  async run({ path }, context) {
    const dirty = path === undefined ? unsaved() : await unsavedAt(await findFile(path, context.folder));
    if (dirty.length === 0) return "There's nothing to save.";
    const save = () => Promise.all(dirty.map(saveOne));
    // Changes to notebooks are not recorded: without their text before, the user's cannot be told from those of saving.
    const paths = dirty.flatMap((document) => ("getText" in document ? [document.uri.fsPath] : []));
    const lines = await (paths.length === 0 ? save() : context.recordChanges(paths, save));
    return reportText(`Saved ${count(dirty.length, "file")}:`, lines);
  },
});

/** Discards the user's unsaved changes, after asking. */
export const revertFile = defineHostTool({
  name: "vscode_revert_file",
  label: "Revert file",
  description: "Discards a file's unsaved changes.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  approval: "always",
  input: z.object({ path: z.string().min(1) }),
  async run({ path }, context) {
    const uri = await findFile(path, context.folder);
    const file = describeUri(uri);
    if (notebookWithChanges(uri.fsPath) !== undefined) {
      throw new HostToolFailed(`${file} is a notebook, which only the user can revert. Ask them.`);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    if (!document.isDirty) return `${file} has no unsaved changes.`;
    const saved = await vscode.workspace.fs.readFile(document.uri);
    await context.recordChanges([document.uri.fsPath], async () => {
      if (!(await takeFromDisk(document, saved))) throw new HostToolFailed(`${file} could not be reverted.`);
    });
    return `${file} matches the saved version.`;
  },
});

/** Reverts a document to its file. Saving may change the file again, by formatting or a wrong encoding, so its bytes are restored. */
async function takeFromDisk(document: vscode.TextDocument, saved: Uint8Array): Promise<boolean> {
  const { uri, encoding } = document;
  const text = await vscode.workspace.decode(saved, { encoding });
  const edit = new vscode.WorkspaceEdit();
  edit.replace(uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  const isSaved = (await vscode.workspace.applyEdit(edit)) && (await document.save());
  if (!isSaved) return false;
  // The editor reloads a file without unsaved changes by itself.
  if (Buffer.compare(await vscode.workspace.fs.readFile(uri), saved) !== 0)
    await vscode.workspace.fs.writeFile(uri, saved);
  return true;
}

type Unsaved = vscode.TextDocument | vscode.NotebookDocument;

/** Lists files with unsaved changes, including notebooks. */
function unsaved(): Unsaved[] {
  const { textDocuments, notebookDocuments } = vscode.workspace;
  return [...textDocuments, ...notebookDocuments].filter(({ isDirty, uri }) => isDirty && uri.scheme === "file");
}

async function unsavedAt(uri: vscode.Uri): Promise<Unsaved[]> {
  const document = notebookWithChanges(uri.fsPath) ?? (await vscode.workspace.openTextDocument(uri));
  return document.isDirty ? [document] : [];
}

async function saveOne(document: Unsaved): Promise<string> {
  const before = linesOf(document);
  const isSaved = await document.save();
  const file = describeUri(document.uri);
  if (!isSaved) return `${file}: not saved; the editor refused. It may have changed on disk: ask the user.`;
  const hunks = findHunks(before, linesOf(document));
  return hunks.length === 0 ? file : `${file}: saving changed ${count(hunks.length, "place")}`;
}

function linesOf(document: Unsaved): string[] {
  const texts = "getText" in document ? [document] : document.getCells().map((cell) => cell.document);
  return texts.flatMap((text) => splitLines(text.getText()));
}
