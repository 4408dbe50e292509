import * as vscode from "vscode";
import type { Chat } from "../chat/chat.ts";
import { readSetting } from "../editor/settings.ts";
import type { Chats } from "./chats.ts";

/** Returns the chat for a command of the editor, as the setting says. @param uri a file in the folder of a new chat. */
export function chatForCommand({ hub, focused }: Chats, uri: vscode.Uri): Chat {
  if (readSetting("commandChat") === "current" || focused.isUntouched) return focused;
  return hub.openNew(false, vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath);
}
