import * as vscode from "vscode";

/** Maximum number of tabs kept open for language services. */
const MAX_TABS = 6;
/** A tab that was unused for this long is closed, in milliseconds. */
const IDLE_MS = 30_000;
/** Larger files are not opened, in bytes. */
const MAX_BYTES = 1_000_000;

/**
 * Opens files in tabs behind the visible one, since language services check only files that are open in a tab. Tabs opened here are closed
 * again unless the user turned to them.
 */
export class BackgroundTabs implements vscode.Disposable {
  readonly #opened = new Map<string, NodeJS.Timeout>();
  /** Leaves a tab to the user once they turn to it. */
  readonly #watch = vscode.window.tabGroups.onDidChangeTabs(({ changed }) => {
    for (const { isActive, input } of changed) {
      if (isActive) this.#forget(uriOf(input)?.fsPath ?? "");
    }
  });

  /** Opens the file in a background tab. @returns true when a tab was opened; false when there was one or the file cannot be shown. */
  async open(path: string): Promise<boolean> {
    const uri = vscode.Uri.file(path);
    this.#use(path);
    if (tabOf(uri) !== undefined || !(await isText(uri))) return false;
    // The editor has no method that opens a tab without showing it; this command does.
    await vscode.commands.executeCommand("vscode.open", uri, { background: true, preserveFocus: true, preview: false });
    this.#opened.set(path, this.#closeLater(path));
    for (const oldest of this.#opened.keys()) {
      if (this.#opened.size <= MAX_TABS) break;
      this.#close(oldest);
    }
    return true;
  }

  dispose(): void {
    this.#watch.dispose();
    for (const path of [...this.#opened.keys()]) this.#close(path);
  }

  #use(path: string): void {
    const timer = this.#opened.get(path);
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#opened.delete(path);
    this.#opened.set(path, this.#closeLater(path));
  }

  #closeLater(path: string): NodeJS.Timeout {
    return setTimeout(() => this.#close(path), IDLE_MS);
  }

  #forget(path: string): void {
    clearTimeout(this.#opened.get(path));
    this.#opened.delete(path);
  }

  #close(path: string): void {
    this.#forget(path);
    const tab = tabOf(vscode.Uri.file(path));
    if (tab === undefined || tab.isActive || tab.isDirty || tab.isPinned) return;
    vscode.window.tabGroups.close(tab, true).then(undefined, () => undefined); // the user was quicker
  }
}

/** True when the file is open in a tab, so that language services check it. */
export function isWatched(path: string): boolean {
  const uri = vscode.Uri.file(path);
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
  return document !== undefined && !NO_SERVICE.has(document.languageId) && tabOf(uri) !== undefined;
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(({ input }) => uriOf(input)?.toString() === uri.toString());
}

/** Returns the URI of a tab that shows a single file, in a text editor or in one of another kind. */
function uriOf(input: unknown): vscode.Uri | undefined {
  const { TabInputText, TabInputNotebook, TabInputCustom } = vscode;
  const isOfOne = input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom;
  return isOfOne ? input.uri : undefined;
}

/** Notebooks are not opened: that would make the editor look for a kernel. */
const NOTEBOOK = /\.ipynb$/i;

async function isText(uri: vscode.Uri): Promise<boolean> {
  if (NOTEBOOK.test(uri.path)) return false;
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if (type !== vscode.FileType.File || size > MAX_BYTES) return false;
    const { languageId } = await vscode.workspace.openTextDocument(uri);
    return !NO_SERVICE.has(languageId);
  } catch {
    return false; // the file does not exist yet, or is not text
  }
}

/** Languages without a service that reports problems. */
const NO_SERVICE: ReadonlySet<string> = new Set(["plaintext", "log", "markdown", "binary"]);
