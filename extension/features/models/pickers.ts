import * as vscode from "vscode";
import type { PermissionMode } from "../../../agent/protocol/approvals.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { modeFace } from "../../chat/session-mode.ts";

/** Lets the user pick the thinking level. */
export async function pickThinkingLevel(chat: Chat): Promise<void> {
  const { levels } = await chat.request("get_available_thinking_levels", {});
  const current = chat.transcript.ui.thinkingLevel;
  const items = levels.map((id) => ({ label: id, description: id === current ? t("current") : "", id }));
  const level = await pick(items, current, { title: t("Select Thinking Level") });
  if (level === undefined) return;
  await chat.request("set_thinking_level", { level });
  await chat.refresh();
}

const MODE_ORDER: readonly PermissionMode[] = ["readonly", "plan", "confirm", "auto-edit", "sandboxed", "auto"];

/** Lets the user pick the permission mode of this session. */
export async function pickPermissionMode(chat: Chat): Promise<void> {
  const { mode } = chat;
  const items = MODE_ORDER.map((id) => {
    const { label, icon, hint } = modeFace(id);
    return { label: `$(${icon}) ${label}`, description: id === mode.current ? t("current") : "", detail: hint, id };
  });
  const chosen = await pick(items, mode.current, {
    title: t("Select Permission Mode"),
    placeholder: t("Applies immediately, to this session only"),
  });
  if (chosen !== undefined) await chat.setMode(chosen);
}

/** Lets the user pick one of a few items, starting at the present one: Enter pressed by mistake changes nothing. */
async function pick<Id extends string>(
  items: (vscode.QuickPickItem & { readonly id: Id })[],
  current: string,
  words: { readonly title: string; readonly placeholder?: string },
): Promise<Id | undefined> {
  const quickPick = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly id: Id }>();
  quickPick.title = words.title;
  quickPick.placeholder = words.placeholder;
  quickPick.items = items;
  quickPick.activeItems = items.filter(({ id }) => id === current);
  return new Promise((resolve) => {
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
}
