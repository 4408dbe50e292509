import * as vscode from "vscode";
import { isGone, toText } from "../../../agent/changes/file-content.ts";
import { withoutMark } from "../../../agent/changes/file-review.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";

const SCHEME = "tiller-baseline";
/** Fragment of the document that stands for a deleted file. */
const GONE = "gone";

/** Files without the agent's changes, for diffs; kept in memory. */
export class ReviewDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changes: ChangeTracker;
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChange = this.#changed.event;

  constructor(changes: ChangeTracker) {
    this.#changes = changes;
    this.#subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      changes.onDidChange(() => this.#refresh()),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    if (uri.fragment === GONE) return "";
    const file = this.#changes.book?.get(vscode.Uri.file(uri.path).fsPath);
    return file === undefined ? "" : withoutMark(toText(file.before) ?? "");
  }

  /** Shows the agent's changes of a file in the editor's diff. */
  async showDiff(path: string): Promise<void> {
    const file = vscode.Uri.file(path);
    const name = file.path.split("/").at(-1) ?? path;
    await vscode.commands.executeCommand("vscode.diff", baselineOf(file), await shownOf(file), name, { preview: true });
  }

  /** Shows the changes of several files in one tab. */
  async showAll(paths: readonly string[], title: string): Promise<void> {
    const pairs = paths.map(async (path) => {
      const file = vscode.Uri.file(path);
      return [file, baselineOf(file), await shownOf(file)];
    });
    await vscode.commands.executeCommand("vscode.changes", title, await Promise.all(pairs));
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }

  #refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments) if (uri.scheme === SCHEME) this.#changed.fire(uri);
  }
}

function baselineOf(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: SCHEME });
}

/** Returns the document to show for a file, since the editor cannot show a deleted one. */
async function shownOf(file: vscode.Uri): Promise<vscode.Uri> {
  return (await isGone(file.fsPath)) ? file.with({ scheme: SCHEME, fragment: GONE }) : file;
}
