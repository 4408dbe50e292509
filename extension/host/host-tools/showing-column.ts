import * as vscode from "vscode";
import type { HostToolChat } from "./host-tool.ts";

/**
 * The group of editors in which something is shown for the agent. What is shown in front of an editor that somebody types in takes their next keys,
 * even without taking the keyboard; so unless the keyboard is in the chat, the group that the user is in keeps what it shows, and another one, or
 * a new one beside it, is used.
 * @param uri what is to be shown, when it is one file: a group that shows it already is the one.
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

/** Whether somebody may be typing into a file, so that the cursor in it is not to be moved. */
export function mayBeTypedIn({ isKeyboardInChat }: Pick<HostToolChat, "isKeyboardInChat">, uri: vscode.Uri): boolean {
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  return vscode.window.state.focused && !isKeyboardInChat() && active === uri.toString();
}

function isTabOf(tab: vscode.Tab | undefined, uri: vscode.Uri): boolean {
  return tab?.input instanceof vscode.TabInputText && tab.input.uri.toString() === uri.toString();
}
