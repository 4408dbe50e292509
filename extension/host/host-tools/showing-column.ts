import * as vscode from "vscode";
import type { HostToolChat } from "./host-tool.ts";

/**
 * Returns the editor group in which to show something for the agent. A new tab in the group where the user types takes
 * the next keys, even without taking the focus. So unless the keyboard focus is in the chat, the user's group is left
 * alone and another or a new one is used.
 * @param uri the file to show, if it is one: a group that already shows it is preferred.
 */
export function showingColumn(
  { isKeyboardInChat }: Pick<HostToolChat, "isKeyboardInChat">,
  uri?: vscode.Uri,
): vscode.ViewColumn {
  const { all: groups, activeTabGroup: active } = vscode.window.tabGroups;
  const shown = uri && groups.find(({ activeTab }) => isTabOf(activeTab, uri));
  if (shown !== undefined) return shown.viewColumn;
  const isFree = isKeyboardInChat() || !vscode.window.state.focused || active.activeTab === undefined;
  if (isFree) return active.viewColumn;
  return groups.findLast((group) => group !== active)?.viewColumn ?? vscode.ViewColumn.Beside;
}

/** True if the user may be typing in a file, so that its cursor must not move. */
export function mayBeTypedIn({ isKeyboardInChat }: Pick<HostToolChat, "isKeyboardInChat">, uri: vscode.Uri): boolean {
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  return vscode.window.state.focused && !isKeyboardInChat() && active === uri.toString();
}

function isTabOf(tab: vscode.Tab | undefined, uri: vscode.Uri): boolean {
  return tab?.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
}
