import * as vscode from "vscode";
import type { Chats } from "../../window/chats.ts";
import { type StatusFacts, statusFace, tooltipRows } from "./status-face.ts";
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

/** The item in the status bar: Tiller's activity, questions for the user, and what is queued and runs elsewhere. A click opens the menu. */
class StatusBar implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem("tiller.status", vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.#item.name = "Tiller";
    this.#item.command = "tiller.showMenu";
  }

  show(facts: StatusFacts): void {
    const { icon, text, background } = statusFace(facts);
    this.#item.text = `$(${icon}) ${text}`;
    this.#item.accessibilityInformation = { label: text, role: "button" };
    this.#item.backgroundColor =
      background === undefined ? undefined : new vscode.ThemeColor(`statusBarItem.${background}Background`);
    this.#item.tooltip = tooltip(facts);
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}

/** Builds the tooltip. Titles and statuses are untrusted: they are appended as text, so that no link in them works. */
function tooltip(facts: StatusFacts): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString();
  for (const [index, { name, value }] of tooltipRows(facts).entries()) {
    if (index > 0) markdown.appendMarkdown("  \n");
    markdown.appendMarkdown("**").appendText(oneLine(name)).appendMarkdown("** ").appendText(oneLine(value));
  }
  return markdown;
}

/** Maximum length of a name or value in the tooltip, in UTF-16 units. */
const MAX_CHARS = 200;

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, MAX_CHARS);
}
