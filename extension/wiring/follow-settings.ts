import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { Chat } from "../chat/chat.ts";
import { areFontsAffected } from "../editor/chat-fonts.ts";
import { isAffected, LAUNCH_SETTINGS } from "../editor/settings.ts";
import { watchModelsFile } from "../features/models/models-file.ts";
import { showPanelSettings } from "../window/chat-factory.ts";
import type { Chats } from "../window/chats.ts";
import { launchChanged } from "./launch-change.ts";

/** Updates open chats when settings or models are changed. */
export function followSettings(chats: Chats): vscode.Disposable[] {
  return [
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(event, chats.hub.chats)),
    watchModelsFile(
      () => chats.focused.session.folder,
      () => launchChanged(chats.hub.chats),
    ),
  ];
}

function settingsChanged(event: vscode.ConfigurationChangeEvent, chats: readonly Chat[]): void {
  if (isAffected(event, ["sendOnEnter", "whileRunning", "density", "maxImageBytes"]) || areFontsAffected(event))
    for (const chat of chats) showPanelSettings(chat);
  if (isAffected(event, ["permissionMode"])) {
    for (const chat of chats) {
      chat.followModeSetting().catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error)));
    }
  }
  if (isAffected(event, LAUNCH_SETTINGS)) launchChanged(chats);
}
