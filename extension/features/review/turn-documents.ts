import * as vscode from "vscode";
import type { Change, ChangeSide } from "../../../agent/changes/change-journal.ts";
import { findContent, toText } from "../../../agent/changes/file-content.ts";
import { withoutMark } from "../../../agent/changes/file-review.ts";
import { t } from "../../../webview/l10n.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";

const SCHEME = "tiller-content";

/** Earlier contents of files, for diffs. */
export class TurnDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #changes: ChangeTracker;
  readonly #registration: vscode.Disposable;

  constructor(changes: ChangeTracker) {
    this.#changes = changes;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  }

  async provideTextDocumentContent({ query }: vscode.Uri): Promise<string> {
    if (query === "") return "";
    const { store } = await this.#changes.open();
    return withoutMark(toText((await findContent({ hash: query }, store)) ?? null) ?? "");
  }

  /** Shows the effect of some changes in one tab, a diff for each file. */
  async show(changes: readonly Change[]): Promise<void> {
    const byPath = new Map<string, { before: ChangeSide; after: ChangeSide }>();
    for (const { path, before, after } of changes) {
      byPath.set(path, { before: byPath.get(path)?.before ?? before, after });
    }
    if (byPath.size === 0) {
      void vscode.window.showInformationMessage(t("No files changed."));
      return;
    }
    const pairs = [...byPath].map(([path, { before, after }]) => [
      vscode.Uri.file(path),
      contentOf(path, before),
      contentOf(path, after),
    ]);
    await vscode.commands.executeCommand("vscode.changes", t("Changes by the Agent"), pairs);
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

function contentOf(path: string, side: ChangeSide): vscode.Uri {
  const query = side !== null && "hash" in side ? side.hash : "";
  return vscode.Uri.file(path).with({ scheme: SCHEME, query });
}
