import * as vscode from "vscode";
import { lineMarks } from "../../editor/editor-marks.ts";
import { findFile } from "../../host/host-tools/find-file.ts";
import { followColumn } from "./follow-column.ts";
import type { FollowTarget } from "./follow-target.ts";

/** Maximum size of a file that is shown, in bytes. */
const MAX_BYTES = 1_000_000;
const NOTEBOOK = /\.ipynb$/i;

interface FollowEditorParts {
  /** Called when the user types, selects or scrolls where the agent is shown, or has closed it. */
  busy(): void;
  /** Called when the user moves to another group. */
  left(): void;
}

/** The single preview tab in which the agent is shown. It never takes the keyboard focus. */
export class FollowEditor implements vscode.Disposable {
  readonly #parts: FollowEditorParts;
  readonly #marks = {
    read: lineMarks({ background: "editor.rangeHighlightBackground", bar: "#3794ff" }),
    change: lineMarks({ background: "diffEditor.insertedLineBackground", bar: "#40a060" }),
    past: lineMarks({ bar: "#808080" }),
  };
  readonly #subscriptions: vscode.Disposable[];
  #uri = "";
  #column: vscode.ViewColumn | undefined;
  #ranges: readonly vscode.Range[] = [];
  #isShowing = false;
  /** True once the place was visible, so that only the user can have scrolled it away. */
  #wasSeen = false;
  /** A tab that did not exist before, and that the editor does not replace by itself. */
  #toClose: vscode.Uri | undefined;

  constructor(parts: FollowEditorParts) {
    this.#parts = parts;
    const { Mouse, Keyboard } = vscode.TextEditorSelectionChangeKind;
    this.#subscriptions = [
      vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => this.#scrolled(textEditor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if ((kind === Mouse || kind === Keyboard) && this.#isOurs(textEditor)) parts.busy();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        const { activeTextEditor: active } = vscode.window;
        if (active?.document !== document || contentChanges.length === 0 || !document.isDirty) return;
        if (this.#isOurs(active)) parts.busy();
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        if (!this.#isShowing && closed.some((tab) => uriOf(tab) === this.#uri) && !this.#isOpen()) parts.busy();
      }),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.#groupsChanged()),
    ];
  }

  /** Shows a place, if it is in a text file of the workspace that is not too large. @param folder the folder of the session. */
  async show(target: FollowTarget, folder: string): Promise<void> {
    const uri = await findText(target.paths, folder);
    if (uri === undefined) return;
    const document = await vscode.workspace.openTextDocument(uri).then(
      (opened) => opened,
      () => undefined, // it is binary
    );
    if (document === undefined) return;
    this.#isShowing = true;
    try {
      await this.#open(document, target);
    } finally {
      this.#isShowing = false;
    }
  }

  /** Fades the highlights, since the run is over. */
  fade(): void {
    const editor = vscode.window.visibleTextEditors.find((one) => this.#isOurs(one));
    if (editor !== undefined) this.#decorate(editor, "past", this.#ranges, []);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const marks of Object.values(this.#marks)) marks.dispose();
  }

  async #open(document: vscode.TextDocument, target: FollowTarget): Promise<void> {
    const address = document.uri.toString();
    const viewColumn = this.#pickColumn();
    const ranges = rangesOf(document, target);
    const start = ranges[0]?.start ?? new vscode.Position(0, 0);
    const isSame = address === this.#uri;
    const past = isSame ? this.#ranges : [];
    const leftOver = isSame ? undefined : this.#toClose;
    const wasOpen = tabsOf(address).length > 0;
    this.#uri = address;
    this.#wasSeen = false;
    this.#ranges = ranges;
    const editor = await vscode.window.showTextDocument(document, {
      viewColumn,
      preserveFocus: true,
      preview: true,
      selection: new vscode.Range(start, start),
    });
    this.#column = editor.viewColumn;
    if (!isSame) this.#toClose = wasOpen ? undefined : document.uri;
    if (leftOver !== undefined) await closeUntouched(leftOver, editor.viewColumn);
    const [first] = ranges;
    if (first !== undefined) editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    this.#decorate(editor, target.kind, ranges, past);
    this.#scrolled(editor);
  }

  #pickColumn(): vscode.ViewColumn {
    const groups = vscode.window.tabGroups.all.map((group) => {
      const { activeTab, viewColumn, isActive, tabs } = group;
      const front = activeTab === undefined ? "nothing" : uriOf(activeTab) === undefined ? "other" : "text";
      const hasFollowTab = viewColumn === this.#column && tabs.some((tab) => uriOf(tab) === this.#uri);
      return { column: viewColumn, isActive, front, hasFollowTab } as const;
    });
    const column = followColumn(groups);
    return column === "beside" ? vscode.ViewColumn.Beside : column;
  }

  #decorate(
    editor: vscode.TextEditor,
    kind: "read" | "change" | "past",
    ranges: readonly vscode.Range[],
    past: readonly vscode.Range[],
  ): void {
    const shown = { read: [], change: [], past, [kind]: ranges };
    this.#marks.read.draw(editor, shown.read);
    this.#marks.change.draw(editor, shown.change);
    this.#marks.past.draw(editor, shown.past);
  }

  #scrolled(editor: vscode.TextEditor): void {
    if (!this.#isOurs(editor)) return;
    const place = this.#ranges[0] ?? new vscode.Range(0, 0, 0, 0);
    const isSeen = editor.visibleRanges.some((range) => range.intersection(place) !== undefined);
    if (!isSeen && this.#wasSeen && !this.#isShowing) this.#parts.busy();
    this.#wasSeen ||= isSeen;
  }

  #groupsChanged(): void {
    // Groups are renumbered when one of them is closed.
    const own = tabsOf(this.#uri).filter((tab) => tab.group.viewColumn === this.#column || tab.isPreview);
    if (!own.some((tab) => tab.group.viewColumn === this.#column)) this.#column = own[0]?.group.viewColumn;
    if (!this.#isShowing && vscode.window.tabGroups.activeTabGroup.viewColumn !== this.#column) this.#parts.left();
  }

  #isOpen(): boolean {
    return tabsOf(this.#uri).length > 0;
  }

  #isOurs({ document, viewColumn }: vscode.TextEditor): boolean {
    return viewColumn === this.#column && document.uri.toString() === this.#uri;
  }
}

async function findText(paths: readonly string[], folder: string): Promise<vscode.Uri | undefined> {
  for (const path of paths) {
    try {
      const uri = await findFile(path, folder);
      if (vscode.workspace.getWorkspaceFolder(uri) === undefined || NOTEBOOK.test(uri.path)) continue;
      const { size } = await vscode.workspace.fs.stat(uri);
      if (size <= MAX_BYTES) return uri;
    } catch {
      // No such file, or not in the workspace: try the next one.
    }
  }
  return undefined;
}

function rangesOf(document: vscode.TextDocument, { lines, text }: FollowTarget): vscode.Range[] {
  const last = document.lineCount - 1;
  const found = text === undefined ? -1 : document.getText().indexOf(text);
  if (text !== undefined && found !== -1) {
    return [new vscode.Range(document.positionAt(found), document.positionAt(found + text.trimEnd().length))];
  }
  return lines.map(([first, end]) => {
    const from = Math.min(first - 1, last);
    return new vscode.Range(new vscode.Position(from, 0), document.lineAt(Math.min(end - 1, last)).range.end);
  });
}

function uriOf({ input }: vscode.Tab): string | undefined {
  return input instanceof vscode.TabInputText ? input.uri.toString() : undefined;
}

function tabsOf(address: string): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => uriOf(tab) === address);
}

/** Closes the previous tab where the settings turn previews off, so that it would stay. */
async function closeUntouched(uri: vscode.Uri, column: vscode.ViewColumn | undefined): Promise<void> {
  const isPreviewOn = vscode.workspace.getConfiguration("workbench.editor").get<unknown>("enablePreview") !== false;
  if (isPreviewOn) return;
  const tabs = tabsOf(uri.toString()).filter(({ group }) => group.viewColumn === column);
  const untouched = tabs.filter(({ isDirty, isPinned, isActive }) => !isDirty && !isPinned && !isActive);
  await vscode.window.tabGroups.close(untouched, true).then(undefined, () => undefined); // the user was quicker
}
