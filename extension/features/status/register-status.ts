import * as vscode from "vscode";
import type { Chats } from "../../window/chats.ts";
import { StatusBar } from "./status-bar.ts";
import { statusFacts } from "./status-menu.ts";

/** Shows the state of all chats in the status bar, and that of the focused one in context keys for `when` clauses. */
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
