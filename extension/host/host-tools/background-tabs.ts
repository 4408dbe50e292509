import * as vscode from "vscode";

/** Tabs that are open for language services at a time. */
const MAX_TABS = 6;
/** A tab that was not needed for so long is closed, in milliseconds. */
const IDLE_MS = 30_000;
/** Larger files are not opened, in bytes. */
const MAX_BYTES = 1_000_000;

/**
 * Opens files in tabs behind the one that the user sees: language services look for problems only in what is open in a tab. What was opened here
 * and not touched by the user is closed again.
 */
export class BackgroundTabs implements vscode.Disposable {
  readonly #opened = new Map<string, NodeJS.Timeout>();
  /** A tab that the user turned to is theirs. */
  readonly #watch = vscode.window.tabGroups.onDidChangeTabs(({ changed }) => {
    for (const { isActive, input } of changed) {
      if (isActive) this.#forget(uriOf(input)?.fsPath ?? "");
    }
  });

  /** @returns whether the file is in a tab now that it was not in before. */
  async open(path: string): Promise<boolean> {
    const uri = vscode.Uri.file(path);
    this.#use(path);
    if (tabOf(uri) !== undefined || !(await isText(uri))) return false;
    // No method of the editor's opens a tab without showing it; this command does.
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

/** Whether a file is in a tab, so that language services look for problems in it. */
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

/** The one file that a tab is of, in whatever editor: for some files that is not the one for text. */
function uriOf(input: unknown): vscode.Uri | undefined {
  const { TabInputText, TabInputNotebook, TabInputCustom } = vscode;
  const isOfOne = input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom;
  return isOfOne ? input.uri : undefined;
}

/** To open a notebook would begin with looking for what runs it. */
const NOTEBOOK = /\.ipynb$/i;

async function isText(uri: vscode.Uri): Promise<boolean> {
  if (NOTEBOOK.test(uri.path)) return false;
  try {
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if (type !== vscode.FileType.File || size > MAX_BYTES) return false;
    const { languageId } = await vscode.workspace.openTextDocument(uri);
    return !NO_SERVICE.has(languageId);
  } catch {
    return false; // there is no such file yet, or it is no text
  }
}

/** Languages for which nobody looks for problems. */
const NO_SERVICE: ReadonlySet<string> = new Set(["plaintext", "log", "markdown", "binary"]);
