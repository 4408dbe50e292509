import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { Chat } from "../chat/chat.ts";
import { areFontsAffected } from "../editor/chat-fonts.ts";
import { isAffected, LAUNCH_SETTINGS } from "../editor/settings.ts";
import { watchModelsFile } from "../features/models/models-file.ts";
import { restartAgent } from "../features/sessions/keep-chat.ts";
import { showPanelSettings } from "../window/chat-factory.ts";
import type { Chats } from "../window/chats.ts";

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

/** Handles changed launch settings: agents that have done nothing yet are restarted; for the others a restart is offered. */
function launchChanged(chats: readonly Chat[]): void {
  // The change may fix what kept the agent from starting.
  for (const chat of chats.filter(({ transcript }) => transcript.ui.status === "crashed")) chat.wake();
  const started = chats.filter((chat) => chat.agent.client !== undefined);
  // A chat without messages loses nothing by a restart.
  for (const chat of started.filter(({ isUntouched }) => isUntouched)) void chat.restart();
  const used = started.filter(({ isUntouched }) => !isUntouched);
  if (used.length > 0) void offerRestart(used);
}

/** Offers a restart, which aborts running work, so the user chooses the moment. */
async function offerRestart(chats: readonly Chat[]): Promise<void> {
  const restart = chats.length === 1 ? t("Restart Agent") : t("Restart Agents");
  const chosen = await vscode.window.showInformationMessage(
    t("Restart the agent to apply the changed setting."),
    restart,
  );
  if (chosen === restart) await Promise.all(chats.map(restartAgent));
}
