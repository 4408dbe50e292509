import * as vscode from "vscode";
import { describeUri } from "../../../editor/workspace-files.ts";

/** Without a change for this long, a service makes none, in milliseconds. */
const SILENCE_MS = 1_500;
/** After one change, others follow within this time, in milliseconds. */
const QUIET_MS = 500;
/** Maximum time to wait, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** Watches the changes that language services make to other files, such as imports of a moved file. */
export class FollowingEdits implements vscode.Disposable {
  readonly #wereUnsaved = new Set(vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty));
  readonly #changed = new Set<vscode.TextDocument>();
  readonly #subscription: vscode.Disposable;
  #lastAt = 0;

  constructor() {
    this.#subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length === 0 || document.uri.scheme !== "file" || this.#wereUnsaved.has(document)) return;
      this.#changed.add(document);
      this.#lastAt = Date.now();
    });
  }

  /**
   * Waits until no more changes follow, and saves them.
   * @param silenceMs without a first change for this long, none will follow.
   * @returns the names of the changed files.
   */
  async saved(token: vscode.CancellationToken, silenceMs = SILENCE_MS): Promise<string[]> {
    const startedAt = Date.now();
    for (;;) {
      const quietAt = this.#lastAt === 0 ? startedAt + silenceMs : this.#lastAt + QUIET_MS;
      const left = Math.min(quietAt, startedAt + MAX_WAIT_MS) - Date.now();
      if (left <= 0 || token.isCancellationRequested) break;
      await new Promise((resolve) => setTimeout(resolve, left));
    }
    for (const document of this.#changed) if (document.isDirty) await document.save();
    return [...this.#changed].map(({ uri }) => describeUri(uri)).sort();
  }

  dispose(): void {
    this.#subscription.dispose();
  }
}
