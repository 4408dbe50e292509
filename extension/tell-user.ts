import * as vscode from "vscode";
import type { UiRequest } from "../agent/protocol/dialogs.ts";
import type { Draft } from "./panel/draft.ts";
import type { PanelProvider } from "./panel/panel-provider.ts";

/** Does what the agent's extensions tell the editor without waiting for an answer. The transcript has taken its part. */
export function tellUser(request: UiRequest, { panel, draft }: { panel: PanelProvider; draft: Draft }): void {
  switch (request.method) {
    case "notify":
      // Who looks at the chat has read it there.
      if (!panel.isVisible) toast(request.notifyType ?? "info", request.message);
      break;
    case "setTitle":
      panel.describe(request.title);
      break;
    case "set_editor_text":
      draft.set(request.text);
      panel.post({ type: "setDraft", text: request.text, mode: "replace" });
      break;
    default:
      break;
  }
}

function toast(level: "info" | "warning" | "error", message: string): void {
  const show = {
    info: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[level];
  void show(message);
}
