import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { describeUri } from "../../editor/workspace-files.ts";
import { type HostToolContext, HostToolFailed } from "./host-tool.ts";
import { wholeText } from "./whole-text.ts";

/** A text that the agent gets instead of the file on disk. */
interface OpenText {
  readonly text: string;
  readonly version: number;
}

/** Guards files with unsaved changes that the agent wants to change. The user decides for each file and session; until then, nothing is changed. */
export class UnsavedFiles {
  /** Files for which the agent works on the editor's text, by session and path. */
  readonly #inBuffer = new Set<string>();

  /** Must be called before the agent changes a file. @throws HostToolFailed when the user wants the file left alone. */
  async beforeChange(path: string, context: HostToolContext): Promise<void> {
    const text = openWithChanges(path);
    const document = text ?? notebookWithChanges(path);
    const key = keyOf(context.session, path);
    if (document === undefined || (text !== undefined && this.#inBuffer.has(key))) return;
    const save = t("Save and Change the File");
    const buffer = t("Change Without Saving");
    const skip = t("Don't Change the File");
    const file = describeUri(document.uri);
    const answer = await context.ask({
      method: "select",
      title: t("The agent wants to change {0}, which has unsaved changes.", file),
      // The agent cannot work on the cells of a notebook in the editor.
      options: text === undefined ? [save, skip] : [save, buffer, skip],
    });
    const chosen = answer.type === "value" ? answer.value : skip;
    if (chosen === buffer) {
      this.#inBuffer.add(key);
      return;
    }
    if (chosen === save && (await document.save())) return;
    throw new HostToolFailed(
      chosen === save
        ? `${file} has unsaved changes by the user and couldn't be saved, so nothing changed.`
        : `${file} has unsaved changes, and the user doesn't want it changed. Continue without changing it, or ask.`,
    );
  }

  /** Returns the text of a file that the agent works on in the editor; undefined when the file on disk counts. */
  read(path: string, session: string): OpenText | undefined {
    const document = openWithChanges(path);
    if (document === undefined) this.#inBuffer.delete(keyOf(session, path)); // saved or closed: the disk has it
    return document && { text: document.getText(), version: document.version };
  }

  /** Replaces the text of an open file. @throws HostToolFailed when it is no longer at `version`. */
  async write(path: string, text: string, version: number): Promise<void> {
    const document = openWithChanges(path);
    if (document === undefined || document.version !== version) throw new HostToolFailed(changedText(path));
    // The editor itself refuses an edit whose version is outdated by the time it arrives.
    if (!(await vscode.workspace.applyEdit(wholeText(document, text)))) throw new HostToolFailed(changedText(path));
  }
}

function openWithChanges(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    ({ uri, isDirty }) => isDirty && uri.scheme === "file" && uri.fsPath === path,
  );
}

/** Finds a notebook that is open with unsaved changes. */
export function notebookWithChanges(path: string): vscode.NotebookDocument | undefined {
  return vscode.workspace.notebookDocuments.find(
    ({ uri, isDirty }) => isDirty && uri.scheme === "file" && uri.fsPath === path,
  );
}

function keyOf(session: string, path: string): string {
  return `${session} ${path}`;
}

function changedText(path: string): string {
  return `The user changed ${describeUri(vscode.Uri.file(path))} in the meantime, so nothing was written. Read it again and retry.`;
}
