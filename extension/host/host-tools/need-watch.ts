import { access } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { onRepository } from "./git/git-api.ts";
import { bringsTests, FoundNeeds, TASK_FILES, type ToolNeed } from "./tool-needs.ts";

const NOTEBOOKS = "**/*.ipynb";

/** Watches for what some tools need, by checks that cost little. Checks nothing before the first agent starts. */
export class NeedWatch implements vscode.Disposable {
  readonly #found: FoundNeeds;
  readonly #allowedCommands: () => readonly string[];
  readonly #listeners: vscode.Disposable[] = [];
  readonly #search = new vscode.CancellationTokenSource();
  #hasNotebook = false;
  #isWatching = false;

  /** @param changed is called shortly after something was found, once for several finds. */
  constructor(allowedCommands: () => readonly string[], changed: () => void) {
    this.#allowedCommands = allowedCommands;
    this.#found = new FoundNeeds(changed);
  }

  isThere(need: ToolNeed): boolean {
    return this.#found.has(need);
  }

  /** Checks what is there, and watches from then on. Resolves when the cheap checks are done; never rejects. */
  async look(): Promise<void> {
    if (!this.#isWatching) this.#watch();
    this.#readEditor();
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
    const [isInGit, hasTaskFile] = await Promise.all([
      anyExists(folders.flatMap(parentsOf).map((folder) => join(folder, ".git"))),
      anyExists(folders.flatMap((folder) => TASK_FILES.map((name) => join(folder, name)))),
    ]);
    this.#found.set("git", isInGit && isGitOn());
    this.#found.set("tasks", hasTaskFile || hasEntries("tasks", "tasks"));
  }

  dispose(): void {
    this.#search.cancel();
    this.#search.dispose();
    this.#found.dispose();
    for (const listener of this.#listeners) listener.dispose();
  }

  /** Reads what the editor knows without a search. */
  #readEditor(): void {
    const { breakpoints, activeDebugSession } = vscode.debug;
    const isDebugging = breakpoints.length > 0 || activeDebugSession !== undefined;
    this.#hasNotebook ||= vscode.workspace.notebookDocuments.length > 0;
    this.#found.set("notebook", this.#hasNotebook);
    this.#found.set("debugger", isDebugging || hasEntries("launch", "configurations"));
    this.#found.set("allowedCommands", this.#allowedCommands().length > 0);
    this.#found.set(
      "tests",
      vscode.extensions.all.some(({ id, packageJSON }) => bringsTests(id, packageJSON)),
    );
  }

  #watch(): void {
    this.#isWatching = true;
    const read = () => this.#readEditor();
    const lookAgain = () => void this.look();
    const files = vscode.workspace.createFileSystemWatcher(NOTEBOOKS, false, true, true);
    const found = (need: ToolNeed) => this.#found.set(need, true);
    this.#listeners.push(
      files,
      files.onDidCreate(() => this.#notebookFound()),
      vscode.workspace.onDidOpenNotebookDocument(() => this.#notebookFound()),
      vscode.debug.onDidChangeBreakpoints(read),
      vscode.debug.onDidStartDebugSession(read),
      vscode.tasks.onDidStartTask(() => found("tasks")),
      vscode.extensions.onDidChange(read),
      vscode.workspace.onDidChangeWorkspaceFolders(lookAgain),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (["launch", "tasks", "git.enabled", "tiller.hostTools"].some((name) => event.affectsConfiguration(name))) {
          lookAgain();
        }
      }),
      onRepository(() => found("git")),
    );
    // The only search of the files: it stops at the first match, and nothing waits for it.
    vscode.workspace.findFiles(NOTEBOOKS, undefined, 1, this.#search.token).then(
      (uris) => uris.length > 0 && this.#notebookFound(),
      () => undefined, // without a search, the editor tells of notebooks that are opened
    );
  }

  #notebookFound(): void {
    this.#hasNotebook = true;
    this.#found.set("notebook", true);
  }
}

function isGitOn(): boolean {
  const isEnabled = vscode.workspace.getConfiguration("git").get<unknown>("enabled") !== false;
  return isEnabled && vscode.extensions.getExtension("vscode.git") !== undefined;
}

/** True when a list in a configuration file has entries. In a window of several folders each has its own file. */
function hasEntries(file: string, list: string): boolean {
  const scopes = [undefined, ...(vscode.workspace.workspaceFolders ?? [])];
  return scopes.some((scope) => {
    const entries = vscode.workspace.getConfiguration(file, scope).get<unknown>(list);
    return Array.isArray(entries) && entries.length > 0;
  });
}

function parentsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...parentsOf(parent)];
}

async function anyExists(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    [...new Set(paths)].map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.includes(true);
}
