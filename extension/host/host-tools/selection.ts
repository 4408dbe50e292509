import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../editor/workspace-files.ts";
import { defineHostTool, type HostTool, HostToolFailed } from "./host-tool.ts";
import { ageText, listText, nextArgument } from "./listing.ts";

/** A longer selection is returned in pages, in bytes. */
const MAX_WHOLE_BYTES = 14_000;

interface LastSelection {
  readonly document: vscode.TextDocument;
  readonly selections: readonly vscode.Selection[];
  /** The Unix time of the selection in ms, and the version of the document then. */
  readonly at: number;
  readonly version: number;
}

/** Returns the user's selection. The last one is remembered, since no editor is active while the user types in the chat. */
export function createSelectionTool(subscriptions: vscode.Disposable[]): HostTool {
  let last: LastSelection | undefined;
  const remember = (editor: vscode.TextEditor | undefined) => {
    if (editor !== undefined && isAboutCode(editor.document)) {
      const { document, selections } = editor;
      last = { document, selections, at: Date.now(), version: document.version };
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
    description: "Returns what the user has selected, or where the cursor is: “this” or “here”.",
    isReadOnly: true,
    input: z.object({ next: nextArgument }),
    async run({ next }) {
      if (last === undefined) throw new HostToolFailed("No editor is open. Ask the user which file they mean.");
      const text = describeSelection(last);
      if (next === undefined && Buffer.byteLength(text) <= MAX_WHOLE_BYTES) return text;
      const [title = "", ...lines] = text.split("\n");
      return listText({ title, lines, next });
    },
  });
}

const CODE_SCHEMES: ReadonlySet<string> = new Set(["file", "untitled", "vscode-notebook-cell"]);

function isAboutCode(document: vscode.TextDocument): boolean {
  return CODE_SCHEMES.has(document.uri.scheme);
}

/** Names a file, or a cell of a notebook. */
function nameOf(document: vscode.TextDocument): string {
  const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  const cell = cells.find((one) => one.document === document);
  return cell === undefined ? describeUri(document.uri) : `cell ${cell.index} of ${describeUri(cell.notebook.uri)}`;
}

function describeSelection({ document, selections, at, version }: LastSelection): string {
  const where = nameOf(document);
  const filled = selections.filter((selection) => !selection.isEmpty);
  const isInFront = vscode.window.activeTextEditor?.document === document;
  const notes = [
    document.isDirty ? "with unsaved changes" : "",
    isInFront ? "" : `selected ${ageText(Date.now() - at)} ago`,
    document.version === version ? "" : "the file has changed since then, so it may have moved",
  ].filter((note) => note !== "");
  const about = notes.length === 0 ? "" : ` (${notes.join(", ")})`;
  if (filled.length === 0) {
    const cursors = selections.map(({ active }) => placeOf(active)).join(", ");
    return selections.length > 1
      ? `Nothing is selected. The cursors are in ${where}${about} at ${cursors}.`
      : `Nothing is selected. The cursor is at ${where}:${cursors}${about}.`;
  }
  return filled
    .map((selection) => {
      const [from, to] = [placeOf(selection.start), placeOf(selection.end)];
      return `${where}${about}, from ${from} to ${to}:\n${document.getText(selection)}`;
    })
    .join("\n\n");
}

function placeOf({ line, character }: vscode.Position): string {
  return `${line + 1}:${character + 1}`;
}
