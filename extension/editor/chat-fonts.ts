import * as vscode from "vscode";
import * as z from "zod";
import type { PanelUi } from "../../webview/protocol/ui.ts";

const Size = z.number().min(6).max(100).optional().catch(undefined);
const Name = z.string().min(1).max(500).optional().catch(undefined);

/** Returns the editor's own font settings for chats, as far as the user has set them. */
export function readChatFonts(): NonNullable<PanelUi["fonts"]> {
  const family = Name.parse(readSet("fontFamily"));
  const codeFamily = Name.parse(readSet("editor.fontFamily"));
  return {
    size: Size.parse(readSet("fontSize")),
    family: family === "default" ? undefined : family,
    codeSize: Size.parse(readSet("editor.fontSize")),
    codeFamily: codeFamily === "default" ? undefined : codeFamily,
    codeWeight: Name.parse(readSet("editor.fontWeight")),
  };
}

/** True when `event` affects one of them. */
export function areFontsAffected(event: vscode.ConfigurationChangeEvent): boolean {
  return (
    event.affectsConfiguration("chat.fontSize") ||
    event.affectsConfiguration("chat.fontFamily") ||
    event.affectsConfiguration("chat.editor")
  );
}

function readSet(name: string): unknown {
  const settings = vscode.workspace.getConfiguration("chat");
  const { globalValue, workspaceValue, workspaceFolderValue } = settings.inspect<unknown>(name) ?? {};
  const isSet = [globalValue, workspaceValue, workspaceFolderValue].some((value) => value !== undefined);
  return isSet ? settings.get<unknown>(name) : undefined;
}
