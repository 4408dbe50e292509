import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { HostToolFailed } from "./host-tool.ts";

/**
 * The text of what the editor alone can open: a document without a file, an older version of one, a file of a file system of the editor;
 * `version` counts its changes. @throws HostToolFailed when there is no such document or it is no text.
 */
export async function readDocument(address: string): Promise<{ text: string; version: number }> {
  try {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(address, true));
    return { text: document.getText(), version: document.version };
  } catch (error) {
    throw new HostToolFailed(
      `The editor cannot open ${address}: ${errorMessage(error)} Take the address of a tab from vscode_editor_state.`,
    );
  }
}
