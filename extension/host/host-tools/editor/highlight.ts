import * as vscode from "vscode";
import { type EditorMarks, lineMarks } from "../../../editor/editor-marks.ts";

const CONTEXT = "tiller.editorHasHighlight";

interface Shown {
  readonly document: vscode.TextDocument;
  readonly range: vscode.Range;
  readonly marks: EditorMarks;
  readonly listeners: readonly vscode.Disposable[];
}

/** The one range that is highlighted for the user, until the text is changed, Escape is pressed in it, or another one is highlighted. */
export class Highlight implements vscode.Disposable {
  #shown: Shown | undefined;

  /** Highlights whole lines in every editor of the document, including later ones. */
  show(document: vscode.TextDocument, range: vscode.Range): void {
    this.clear();
    const marks = lineMarks({ background: "editor.findMatchHighlightBackground", bar: "#d18616" });
    const listeners = [
      vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0) this.clear();
      }),
      vscode.workspace.onDidCloseTextDocument((closed) => {
        if (closed === document) this.clear();
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#tellKeys()),
    ];
    this.#shown = { document, range, marks, listeners };
    this.#draw();
    this.#tellKeys();
  }

  clear(): void {
    const shown = this.#shown;
    if (shown === undefined) return;
    this.#shown = undefined;
    shown.marks.dispose();
    for (const listener of shown.listeners) listener.dispose();
    this.#tellKeys();
  }

  dispose(): void {
    this.clear();
  }

  #draw(): void {
    if (this.#shown === undefined) return;
    const { document, range, marks } = this.#shown;
    for (const editor of vscode.window.visibleTextEditors) {
      if (editor.document === document) marks.draw(editor, [range]);
    }
  }

  /** Binds Escape only while there is something for it to clear. */
  #tellKeys(): void {
    const { activeTextEditor } = vscode.window;
    const isHere = this.#shown !== undefined && activeTextEditor?.document === this.#shown.document;
    void vscode.commands.executeCommand("setContext", CONTEXT, isHere);
  }
}
