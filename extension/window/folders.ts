import { homedir } from "node:os";
import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import { workspaceFolders } from "../editor/workspace-files.ts";
import type { Store } from "./draft.ts";

const KEY = "tiller.lastFolder";

/** Returns the folder of a chat: its own, or else the one that was chosen last, or else the first of the window. */
export function startFolder(own: string | undefined, store: Store): string {
  const folders = workspaceFolders();
  const isOpen = (path: unknown) => folders.some((folder) => folder.path === path);
  if (own !== undefined && (isOpen(own) || folders.length === 0)) return own;
  const last = store.get(KEY);
  return typeof last === "string" && isOpen(last) ? last : (folders[0]?.path ?? homedir());
}

/** Returns the name of a chat's folder in a window of several; undefined when there is only one. */
export function folderLabel(path: string): string | undefined {
  const folders = workspaceFolders();
  return folders.length < 2 ? undefined : folders.find((folder) => folder.path === path)?.name;
}

/**
 * Lets the user choose the folder for a new chat, the last choice first. Without a choice it is the first of the window.
 * @returns undefined when the user cancelled.
 */
export async function pickFolder(store: Store): Promise<string | undefined> {
  const folders = workspaceFolders();
  if (folders.length < 2) return startFolder(undefined, store);
  const last = startFolder(undefined, store);
  const sorted = folders.toSorted((a, b) => Number(b.path === last) - Number(a.path === last));
  const items = sorted.map(({ name, path }) => ({ label: name, description: path, path }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: t("Select a Folder for the New Chat"),
    placeHolder: t("The agent works in this folder and knows about the others"),
  });
  if (chosen !== undefined) await store.update(KEY, chosen.path);
  return chosen?.path;
}
