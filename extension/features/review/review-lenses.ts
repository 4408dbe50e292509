import * as vscode from "vscode";
import { hunkKey } from "../../../agent/changes/file-review.ts";
import type { Hunk } from "../../../agent/changes/line-diff.ts";
import { t } from "../../../webview/l10n.ts";
import { EditorMarks } from "../../editor/editor-marks.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Reviewer } from "./reviewer.ts";

const HAS_CHANGES = "tiller.editorHasChanges";

/** Shows the agent's hunks in editors: highlights their lines, with buttons above each to keep or undo it. */
export class ReviewLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly #reviewer: Reviewer;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly #marks = new EditorMarks({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor("diffEditor.insertedLineBackground"),
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.addedForeground"),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
  });
  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor(changes: ChangeTracker, reviewer: Reviewer) {
    this.#reviewer = reviewer;
    this.#subscriptions = [
      vscode.languages.registerCodeLensProvider({ scheme: "file" }, this),
      changes.onDidChange(() => this.#refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.#decorate()),
      vscode.window.onDidChangeActiveTextEditor(() => this.#decorate()),
      vscode.workspace.onDidSaveTextDocument((document) => reviewer.saved(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.#isShown(document)) this.#decorate();
      }),
    ];
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const { fsPath } = document.uri;
    const hunks = this.#reviewer.hunksIn(document);
    return hunks.flatMap((hunk, index) => {
      const range = firstLine(document, hunk);
      const lens = (title: string, command: string) =>
        // A second click on a lens that is about to disappear must not affect the hunk that takes its place.
        new vscode.CodeLens(range, { title, command, arguments: [fsPath, index, hunkKey(hunk)] });
      return [
        lens(t("Keep"), "tiller.keepChange"),
        lens(t("Undo"), "tiller.undoChange"),
        lens(t("Change {0} of {1}", index + 1, hunks.length), "tiller.showFileChanges"),
      ];
    });
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#marks.dispose();
    this.#changed.dispose();
  }

  #refresh(): void {
    this.#changed.fire();
    this.#decorate();
  }

  #decorate(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      const { document } = editor;
      const hunks = this.#reviewer.hunksIn(document);
      const added = hunks.filter(({ after }) => after.length > 0);
      this.#marks.draw(
        editor,
        added.map(({ afterStart, after }) => new vscode.Range(afterStart, 0, afterStart + after.length - 1, 0)),
      );
      if (editor !== vscode.window.activeTextEditor) continue;
      void vscode.commands.executeCommand("setContext", HAS_CHANGES, hunks.length > 0);
    }
  }

  #isShown(document: vscode.TextDocument): boolean {
    return vscode.window.visibleTextEditors.some((editor) => editor.document === document);
  }
}

function firstLine(document: vscode.TextDocument, { afterStart }: Hunk): vscode.Range {
  const line = Math.min(afterStart, document.lineCount - 1);
  return new vscode.Range(line, 0, line, 0);
}
