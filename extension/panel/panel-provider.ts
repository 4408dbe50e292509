import * as vscode from "vscode";
import type { Chat } from "../chat.ts";
import { ChatPage, type PageServices } from "./chat-page.ts";

/** The view in the side bar: shows one chat. */
export class PanelProvider implements vscode.WebviewViewProvider {
  static readonly viewId = "tiller.chat";
  readonly page: ChatPage;
  #view: vscode.WebviewView | undefined;
  #pendingQuestions = 0;
  #description = "";

  constructor(chat: Chat, services: PageServices) {
    this.page = new ChatPage(chat, services);
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const attached = this.page.attach(view.webview);
    this.page.setShown(view.visible);
    const subscription = view.onDidChangeVisibility(() => this.page.setShown(view.visible));
    view.onDidDispose(() => {
      subscription.dispose();
      attached.dispose();
      if (this.#view === view) this.#view = undefined;
    });
    this.#showBadge();
    view.description = this.#description;
    // The user has opened the view.
    if (this.page.chat.transcript.ui.status !== "running") this.page.chat.wake();
  }

  /** Moves the keyboard into the composer: only after the user has asked for it. */
  async focus(): Promise<void> {
    this.page.focusComposer();
    await vscode.commands.executeCommand(`${PanelProvider.viewId}.focus`);
    this.page.focusComposer();
  }

  /** What stands beside the name of the view. */
  describe(text: string): void {
    if (text === this.#description) return;
    this.#description = text;
    if (this.#view !== undefined) this.#view.description = text;
  }

  /** Shows on the view's icon how many questions wait. */
  badge(pendingQuestions: number): void {
    if (pendingQuestions === this.#pendingQuestions) return;
    this.#pendingQuestions = pendingQuestions;
    this.#showBadge();
  }

  #showBadge(): void {
    if (this.#view === undefined) return;
    const value = this.#pendingQuestions;
    this.#view.badge = value === 0 ? undefined : { value, tooltip: "Agents wait for your answer" };
  }
}
