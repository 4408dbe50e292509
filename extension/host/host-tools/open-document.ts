import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { HostToolFailed } from "./host-tool.ts";
import { wholeText } from "./whole-text.ts";

/** A document without a file on the disk. `version` counts its changes. */
interface OpenDocument {
  readonly text: string;
  readonly version: number;
  readonly writable: boolean;
  /** Why it is not writable, and what to do instead. */
  readonly reason?: string | undefined;
  /** It does not exist yet; to change version 0 makes it. */
  readonly missing?: boolean;
}

/**
 * The text of what the editor alone can open: a document without a file, an older version of one, a file of a file system of the editor.
 * @throws HostToolFailed when there is no such document or it is no text.
 */
export async function readDocument(address: string): Promise<OpenDocument> {
  try {
    const uri = vscode.Uri.parse(address, true);
    const reason = await whyReadOnly(uri);
    const rights = reason === undefined ? { writable: true } : { writable: false, reason };
    if (rights.writable && (await isMissing(uri))) return { text: "", version: 0, missing: true, ...rights };
    const document = await vscode.workspace.openTextDocument(uri);
    return { text: document.getText(), version: document.version, ...rights };
  } catch (error) {
    throw new HostToolFailed(
      `The editor cannot open ${address}: ${errorMessage(error)} Take the address of a tab from vscode_editor_state. A file whose name has a colon is found with ./ before it.`,
    );
  }
}

/**
 * Puts a text in place of that of a document, as one step that the user can undo. What had no unsaved changes and is in a file system is saved.
 * @throws HostToolFailed when it is not the version that was read.
 */
export async function changeDocument(address: string, text: string, version: number): Promise<void> {
  const uri = vscode.Uri.parse(address, true);
  const reason = await whyReadOnly(uri);
  if (reason !== undefined) throw new HostToolFailed(reason);
  if (version === 0 && !isUnsavedKind(uri)) return createFile(uri, text);
  const document = await vscode.workspace.openTextDocument(uri);
  const isExpected = version === 0 ? document.getText() === "" : document.version === version;
  if (!isExpected) throw new HostToolFailed(changedText(address));
  const isSaved = !isUnsavedKind(uri) && !document.isDirty;
  // The editor itself refuses an edit for a version that is gone by the time it gets there.
  if (!(await vscode.workspace.applyEdit(wholeText(document, text)))) throw new HostToolFailed(changedText(address));
  if (isSaved && !(await document.save())) {
    throw new HostToolFailed(`${address} is changed in the editor, but could not be saved. The user sees it unsaved.`);
  }
}

async function createFile(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: Buffer.from(text), overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new HostToolFailed(`The editor could not make ${uri.toString()}. Read it: somebody may have made it.`);
  }
}

/** Documents that are in no file until the user saves them. */
function isUnsavedKind({ scheme }: vscode.Uri): boolean {
  return scheme === "untitled";
}

/** Why what an address names cannot be changed, and what to do instead; undefined when it can. */
async function whyReadOnly(uri: vscode.Uri): Promise<string | undefined> {
  const { scheme, fsPath } = uri;
  if (isUnsavedKind(uri)) return undefined;
  if (scheme === "git") return `It is a version that git keeps. Change the file itself: ${fsPath}`;
  if (scheme === "vscode-notebook-cell") return "It is a cell of a notebook. Use vscode_edit_notebook.";
  const isOfWorkspace = vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === scheme) === true;
  // Some of the editor's own schemes lead to its settings, or to files past what guards those; ours to proposals that the user judges.
  const isInternal = /^(?:vscode|tiller)/.test(scheme) && !isOfWorkspace;
  if (isInternal || vscode.workspace.fs.isWritableFileSystem(scheme) !== true) {
    return "The editor shows it and lets nobody change it. Change the file that it comes from, or write a new document such as untitled:Notes.";
  }
  const found = await stat(uri);
  const isLocked = ((found?.permissions ?? 0) & vscode.FilePermission.Readonly) !== 0;
  return isLocked ? "Its file system says that it may only be read. Ask the user." : undefined;
}

async function isMissing(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString())) return false;
  return isUnsavedKind(uri) ? !hasTab(uri) : (await stat(uri)) === undefined;
}

function hasTab(uri: vscode.Uri): boolean {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.some(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

/** What a file system says of a file; undefined when it is not there. */
async function stat(uri: vscode.Uri): Promise<vscode.FileStat | undefined> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
    throw error;
  }
}

function changedText(address: string): string {
  return `The user changed ${address} in the meantime, so nothing was written. Read it again and retry.`;
}
