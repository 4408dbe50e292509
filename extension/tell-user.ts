import * as vscode from "vscode";
import type { UiRequest } from "../agent/protocol/dialogs.ts";
import type { Draft } from "./panel/draft.ts";
import type { PanelProvider } from "./panel/panel-provider.ts";
import { ToastLimit } from "./toast-limit.ts";

/** Makes what does the things that the agent's extensions tell the editor without waiting for an answer. The transcript has taken its part. */
export function createTeller(services: { panel: PanelProvider; draft: Draft }): (request: UiRequest) => void {
  const limit = new ToastLimit();
  return (request) => tellUser(request, services, limit);
}

function tellUser(
  request: UiRequest,
  { panel, draft }: { panel: PanelProvider; draft: Draft },
  limit: ToastLimit,
): void {
  switch (request.method) {
    case "notify":
      // Who looks at the chat has read it there.
      if (!panel.isVisible) toast(request.notifyType ?? "info", request.message, limit);
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

/** Longest text of a notification, in UTF-16 units. */
const MAX_TOAST_CHARS = 1_000;

function toast(level: "info" | "warning" | "error", message: string, limit: ToastLimit): void {
  const verdict = limit.judge(`${level} ${message}`, Date.now());
  if (verdict === "more") void vscode.window.showInformationMessage("More notices of the agent are in the chat.");
  if (verdict !== "show") return;
  const show = {
    info: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[level];
  void show(message.slice(0, MAX_TOAST_CHARS));
}
