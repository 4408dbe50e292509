import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { HostToolFailed } from "./host-tool.ts";
import { hasTab } from "./tabs.ts";
import { wholeText } from "./whole-text.ts";

/** A document that is not a file on the disk. `version` counts its changes. */
interface OpenDocument {
  readonly text: string;
  readonly version: number;
  readonly writable: boolean;
  /** The reason why it is not writable, and what to do instead. */
  readonly reason?: string | undefined;
  /** True when it does not exist yet; a change of version 0 creates it. */
  readonly missing?: boolean;
}

/**
 * Reads a document that only the editor can open: one without a file, an older version of a file, a file of a virtual file system.
 * @throws HostToolFailed if the document does not exist or is not text.
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
      `The editor can't open ${address}: ${errorMessage(error)} Use the address of a tab from vscode_editor_state. For a file with a colon in its name, put ./ before it.`,
    );
  }
}

/**
 * Replaces the text of a document in one step that can be undone. Saves it if it had no unsaved changes and is in a file system.
 * @throws HostToolFailed when the document is no longer at `version`.
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
  // The editor itself refuses an edit whose version is outdated by the time it arrives.
  if (!(await vscode.workspace.applyEdit(wholeText(document, text)))) throw new HostToolFailed(changedText(address));
  if (isSaved && !(await document.save())) {
    throw new HostToolFailed(`${address} changed in the editor but couldn't be saved. The user sees it unsaved.`);
  }
}

async function createFile(uri: vscode.Uri, text: string): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { contents: Buffer.from(text), overwrite: false });
  if (!(await vscode.workspace.applyEdit(edit))) {
    throw new HostToolFailed(`The editor couldn't create ${uri.toString()}. Read it: it may already exist.`);
  }
}

/** True for documents that have no file until the user saves them. */
function isUnsavedKind({ scheme }: vscode.Uri): boolean {
  return scheme === "untitled";
}

/** Returns why the document at an address cannot be changed, and what to do instead; undefined when it can. */
async function whyReadOnly(uri: vscode.Uri): Promise<string | undefined> {
  const { scheme, fsPath } = uri;
  if (isUnsavedKind(uri)) return undefined;
  if (scheme === "git") return `It's a version stored in Git. Change the file itself: ${fsPath}`;
  if (scheme === "vscode-notebook-cell") return "It's a notebook cell. Use vscode_edit_notebook.";
  const isOfWorkspace = vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === scheme) === true;
  // Some of the editor's own schemes lead to its settings, or around the checks of files; ours lead to proposals that the user judges.
  const isInternal = /^(?:vscode|tiller)/.test(scheme) && !isOfWorkspace;
  if (isInternal || vscode.workspace.fs.isWritableFileSystem(scheme) !== true) {
    return "The editor shows it read-only. Change the file it comes from, or write a new document such as untitled:Notes.";
  }
  const found = await stat(uri);
  const isLocked = ((found?.permissions ?? 0) & vscode.FilePermission.Readonly) !== 0;
  return isLocked ? "Its file system is read-only. Ask the user." : undefined;
}

async function isMissing(uri: vscode.Uri): Promise<boolean> {
  if (vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString())) return false;
  return isUnsavedKind(uri) ? !hasTab(uri) : (await stat(uri)) === undefined;
}

/** Returns the `FileStat` of a file; undefined when the file does not exist. */
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
