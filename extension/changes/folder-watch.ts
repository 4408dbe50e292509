import * as vscode from "vscode";

/** Changes of files are told a while after they happened; without one for so long, all are taken to be told. In milliseconds. */
const QUIET_MS = 250;
/** Nobody waits longer than this for a folder that does not come to rest, in milliseconds. */
const MAX_WAIT_MS = 1_500;

/** Tells of files of a folder that change, by whomever. */
export class FolderWatch implements vscode.Disposable {
  readonly #subscriptions: vscode.Disposable[];
  #lastAt = 0;

  constructor(folder: string, touched: (path: string) => void) {
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), "**"));
    const tell = (uri: vscode.Uri) => {
      this.#lastAt = Date.now();
      touched(uri.fsPath);
    };
    this.#subscriptions = [
      watcher,
      watcher.onDidChange(tell),
      watcher.onDidCreate(tell),
      watcher.onDidDelete(tell),
      // Comes at once, long before the watcher tells.
      vscode.workspace.onDidSaveTextDocument(({ uri }) => tell(uri)),
    ];
  }

  /** Resolves when changes until now have been told. */
  async settled(): Promise<void> {
    const startedAt = Date.now();
    for (;;) {
      const now = Date.now();
      const quietSince = Math.max(startedAt, this.#lastAt);
      const left = Math.min(quietSince + QUIET_MS, startedAt + MAX_WAIT_MS) - now;
      if (left <= 0) return;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }
}
