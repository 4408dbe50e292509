import * as vscode from "vscode";
import type { UiRequest } from "../../agent/protocol/dialogs.ts";
import { t } from "../../webview/l10n.ts";
import { notificationText } from "../editor/notification-text.ts";
import { ToastLimit } from "../editor/toast-limit.ts";

interface TellPlaces {
  /** True when the chat is visible. */
  isVisible(): boolean;
  describe(title: string): void;
  /** Replaces the text in the composer. */
  setText(text: string): void;
  /** Opens an address in the browser. */
  open(url: string): void;
}

/** Creates the handler of requests of the agent's extensions that expect no answer. The transcript has handled its part. */
export function createTeller(places: TellPlaces): (request: UiRequest) => void {
  const limit = new ToastLimit();
  return (request) => tellUser(request, places, limit);
}

function tellUser(request: UiRequest, places: TellPlaces, limit: ToastLimit): void {
  switch (request.method) {
    case "notify":
      // A user who looks at the chat has read it there.
      if (!places.isVisible()) toast(request.notifyType ?? "info", request.message, limit);
      break;
    case "setTitle":
      places.describe(request.title);
      break;
    case "set_editor_text":
      places.setText(request.text);
      break;
    case "open_url":
      places.open(request.url);
      break;
    default:
      break;
  }
}

/** Maximum length of a notification, in UTF-16 units. */
const MAX_TOAST_CHARS = 1_000;

function toast(level: "info" | "warning" | "error", message: string, limit: ToastLimit): void {
  const verdict = limit.judge(`${level} ${message}`, Date.now());
  if (verdict === "more") void vscode.window.showInformationMessage(t("See the chat for more notices from the agent."));
  if (verdict !== "show") return;
  const show = {
    info: vscode.window.showInformationMessage,
    warning: vscode.window.showWarningMessage,
    error: vscode.window.showErrorMessage,
  }[level];
  void show(notificationText(message.slice(0, MAX_TOAST_CHARS)));
}
