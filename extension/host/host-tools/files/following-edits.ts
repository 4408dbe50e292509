import * as vscode from "vscode";
import { describeUri } from "../../../editor/workspace-files.ts";

/** A service that has changed nothing for so long changes nothing, in milliseconds. */
const SILENCE_MS = 1_500;
/** After one change, others follow within this time, in milliseconds. */
const QUIET_MS = 500;
/** Nobody waits longer than this, in milliseconds. */
const MAX_WAIT_MS = 10_000;

/** Watches what language services change in other files by themselves, such as imports of a file that was moved. */
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
   * Waits until nothing follows any more, and saves what was changed.
   * @param silenceMs who has changed nothing for so long changes nothing.
   * @returns names of the files.
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
