import * as vscode from "vscode";
import * as z from "zod";
import { defineHostTool, type HostTool, HostToolFailed } from "./host-tool.ts";
import { describeUri } from "./workspace-files.ts";

interface LastSelection {
  readonly document: vscode.TextDocument;
  readonly selections: readonly vscode.Selection[];
}

/**
 * Tells what the user has selected. The last selection is remembered, since the keyboard is in the chat, and no editor active, when
 * the user asks about it.
 */
export function createSelectionTool(subscriptions: vscode.Disposable[]): HostTool {
  let last: LastSelection | undefined;
  const remember = (editor: vscode.TextEditor | undefined) => {
    if (editor !== undefined && isAboutCode(editor.document)) {
      last = { document: editor.document, selections: editor.selections };
    }
  };
  remember(vscode.window.activeTextEditor);
  subscriptions.push(
    vscode.window.onDidChangeActiveTextEditor(remember),
    vscode.window.onDidChangeTextEditorSelection((event) => remember(event.textEditor)),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (last?.document === document) last = undefined;
    }),
  );
  return defineHostTool({
    name: "vscode_get_selection",
    label: "Get selection",
    description: "Returns what the user has selected, or where the cursor is: what “this” or “here” means.",
    isReadOnly: true,
    input: z.object({}),
    async run() {
      if (last === undefined) throw new HostToolFailed("No editor is open. Ask the user which file is meant.");
      return describeSelection(last);
    },
  });
}

function isAboutCode(document: vscode.TextDocument): boolean {
  return document.uri.scheme === "file" || document.uri.scheme === "untitled";
}

function describeSelection({ document, selections }: LastSelection): string {
  const where = describeUri(document.uri);
  const filled = selections.filter((selection) => !selection.isEmpty);
  const unsaved = document.isDirty ? " (with unsaved changes)" : "";
  if (filled.length === 0) {
    const { line, character } = selections[0]?.active ?? new vscode.Position(0, 0);
    return `Nothing is selected. The cursor is at ${where}:${line + 1}:${character + 1}${unsaved}.`;
  }
  return filled
    .map((selection) => {
      const from = `${selection.start.line + 1}:${selection.start.character + 1}`;
      const to = `${selection.end.line + 1}:${selection.end.character + 1}`;
      return `${where}${unsaved}, from ${from} to ${to}:\n${document.getText(selection)}`;
    })
    .join("\n\n");
}
