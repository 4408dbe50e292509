import * as vscode from "vscode";
import type { PanelUi } from "../../../webview/protocol/ui.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import type { Chats } from "../../window/chats.ts";
import { countChanges } from "./change-counts.ts";
import type { Reviewer } from "./reviewer.ts";

/** Shows in every chat how much is to be reviewed. */
export function showChangeCounts(changes: ChangeTracker, reviewer: Reviewer, chats: Chats): vscode.Disposable {
  let counts: PanelUi["changes"];
  const tell = () => {
    for (const { transcript } of chats.hub.chats) {
      if (!isSame(transcript.ui.changes, counts)) transcript.dispatch({ type: "host_ui", ui: { changes: counts } });
    }
  };
  return vscode.Disposable.from(
    changes.onDidChange(() => {
      counts = countChanges(reviewer.files());
      tell();
    }),
    chats.onDidChange(tell),
  );
}

function isSame(one: PanelUi["changes"], other: PanelUi["changes"]): boolean {
  return one?.files === other?.files && one?.added === other?.added && one?.removed === other?.removed;
}
