import * as vscode from "vscode";
import { isExecutable } from "../../../agent/changes/file-mode.ts";
import { hunksOf } from "../../../agent/changes/file-review.ts";
import { isModePending, type PendingFile } from "../../../agent/changes/review-book.ts";
import { t } from "../../../webview/l10n.ts";
import { describeUri } from "../../editor/workspace-files.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { lineCounts } from "./change-counts.ts";
import type { Reviewer } from "./reviewer.ts";

/** The view of files with changes of the agent that are not reviewed yet. */
export class ChangesView implements vscode.TreeDataProvider<PendingFile>, vscode.Disposable {
  readonly #reviewer: Reviewer;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.#changed.event;

  constructor(changes: ChangeTracker, reviewer: Reviewer) {
    this.#reviewer = reviewer;
    const view = vscode.window.createTreeView("tiller.changes", { treeDataProvider: this });
    this.#subscriptions = [
      view,
      changes.onDidChange(() => {
        this.#changed.fire();
        const { trouble } = changes;
        view.message =
          trouble && t("Can't track the agent's changes right now, so you can't undo them here: {0}", trouble);
        view.description = trouble === undefined ? "" : t("not tracked");
        const hasChanges = reviewer.files().length > 0;
        void vscode.commands.executeCommand("setContext", "tiller.hasChanges", hasChanges || trouble !== undefined);
      }),
    ];
  }

  getChildren(file?: PendingFile): PendingFile[] {
    return file === undefined ? this.#reviewer.files().toSorted((a, b) => (a.path < b.path ? -1 : 1)) : [];
  }

  getTreeItem(file: PendingFile): vscode.TreeItem {
    const uri = vscode.Uri.file(file.path);
    const item = new vscode.TreeItem(uri);
    item.id = file.path;
    item.description = [describeUri(uri), countsOf(file), modeOf(file)].filter((part) => part !== "").join(" ");
    item.tooltip = file.path;
    item.contextValue = "change";
    item.command = { title: t("Show Changes"), command: "tiller.showFileChanges", arguments: [file.path] };
    return item;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#changed.dispose();
  }
}

function countsOf({ review, before }: PendingFile): string {
  if (review === undefined) return before === null ? t("new, no diff") : t("no diff");
  if (review.baseline === null && review.known === "") return t("new, empty");
  const hunks = hunksOf(review);
  if (hunks.length === 0 && review.known !== null) return "";
  const { added, removed } = lineCounts({ review });
  return `+${added} −${removed}`;
}

function modeOf(file: PendingFile): string {
  if (!isModePending(file)) return "";
  return isExecutable(file.modes.known ?? 0) ? t("executable") : t("no longer executable");
}
