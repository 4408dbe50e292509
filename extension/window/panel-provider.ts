import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import type { Chat } from "../chat/chat.ts";
import { ChatPage, type PageServices } from "./chat-page.ts";

/** The view in the side bar, which shows one chat. */
export class PanelProvider implements vscode.WebviewViewProvider {
  static readonly viewId = "tiller.chat";
  readonly page: ChatPage;
  #view: vscode.WebviewView | undefined;
  #badge: vscode.ViewBadge | undefined;
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
    // The user opened the view.
    if (this.page.chat.transcript.ui.status !== "running") this.page.chat.wake();
  }

  /** Focuses the composer; only after the user has asked for it. */
  async focus(): Promise<void> {
    this.page.focusComposer();
    await vscode.commands.executeCommand(`${PanelProvider.viewId}.focus`);
    this.page.focusComposer();
  }

  /** Sets the text beside the name of the view. */
  describe(text: string): void {
    if (text === this.#description) return;
    this.#description = text;
    if (this.#view !== undefined) this.#view.description = text;
  }

  /** Shows the number of pending questions of all chats on the view's icon. @param askers titles of the chats that ask. */
  badge(pendingQuestions: number, askers: readonly string[]): void {
    const before = this.#badge;
    const tooltip = wordBadge(pendingQuestions, askers);
    if (pendingQuestions === (before?.value ?? 0) && tooltip === (before?.tooltip ?? "")) return;
    this.#badge = pendingQuestions === 0 ? undefined : { value: pendingQuestions, tooltip };
    this.#showBadge();
  }

  #showBadge(): void {
    if (this.#view !== undefined) this.#view.badge = this.#badge;
  }
}

function wordBadge(pendingQuestions: number, askers: readonly string[]): string {
  if (pendingQuestions === 0) return "";
  const [only = ""] = askers;
  if (askers.length === 1 && pendingQuestions === 1) return t('"{0}" needs your answer', only);
  if (askers.length === 1) return t('"{0}" needs {1} answers', only, pendingQuestions);
  return t("{0} chats need your answer: {1}", askers.length, askers.join(", "));
}
