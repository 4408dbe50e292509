import * as vscode from "vscode";
import type { Chats } from "../../window/chats.ts";
import { StatusBar } from "./status-bar.ts";
import { statusFacts } from "./status-menu.ts";

/** Tells of all chats in the status bar, and the editor's `when` clauses of the one that the user is in. */
export function registerStatus(chats: Chats): vscode.Disposable[] {
  const statusBar = new StatusBar();
  const show = () => {
    const facts = statusFacts(chats);
    statusBar.show(facts);
    void vscode.commands.executeCommand("setContext", "tiller.isRunning", facts.ui.status === "running");
  };
  show();
  return [statusBar, chats.onDidChange(show)];
}
