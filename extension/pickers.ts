import * as vscode from "vscode";
import type { PermissionMode } from "../agent/protocol/approvals.ts";
import { t } from "../webview/l10n.ts";
import type { Chat } from "./chat.ts";
import { modeFace } from "./session-mode.ts";

/** Lets the user choose how much the model may think. */
export async function pickThinkingLevel(chat: Chat): Promise<void> {
  const { levels } = await chat.request("get_available_thinking_levels", {});
  const current = chat.transcript.ui.thinkingLevel;
  const items = levels.map((level) => ({ label: level, description: level === current ? t("current") : "" }));
  const chosen = await vscode.window.showQuickPick(items, { title: t("How much the model thinks before it answers") });
  const level = levels.find((candidate) => candidate === chosen?.label);
  if (level === undefined) return;
  await chat.request("set_thinking_level", { level });
  await chat.refresh();
}

const MODE_ORDER: readonly PermissionMode[] = ["readonly", "confirm", "auto-edit", "auto"];

/** Lets the user choose what the agent may do without asking in this session. */
export async function pickPermissionMode(chat: Chat): Promise<void> {
  const { mode } = chat;
  const quickPick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly id: PermissionMode }>();
  quickPick.title = t("What the agent may do without asking");
  quickPick.placeholder = t("For this session only, at once. A new window begins with the setting.");
  quickPick.items = MODE_ORDER.map((id) => {
    const { label, icon, hint } = modeFace(id);
    return { label: `$(${icon}) ${label}`, description: id === mode.current ? t("current") : "", detail: hint, id };
  });
  // Enter pressed by mistake must not allow more.
  quickPick.activeItems = quickPick.items.filter(({ id }) => id === mode.current);
  const chosen = await new Promise<PermissionMode | undefined>((resolve) => {
    quickPick.onDidAccept(() => {
      resolve(quickPick.selectedItems[0]?.id);
      quickPick.hide();
    });
    quickPick.onDidHide(() => {
      resolve(undefined);
      quickPick.dispose();
    });
    quickPick.show();
  });
  if (chosen !== undefined) await chat.setMode(chosen);
}
