import * as vscode from "vscode";
import type { ChatPage } from "./chat-page.ts";

/** Knows whether the keyboard is in a chat page, for the `when` of keys: the editor's own keys for views do not see into a page. */
export class ChatFocus {
  #page: ChatPage | undefined;

  /** The page that the keyboard is in. */
  get page(): ChatPage | undefined {
    return this.#page;
  }

  /** The keyboard is in this page. */
  entered(page: ChatPage): void {
    this.#set(page);
  }

  /** The keyboard has left this page, or the page is gone. */
  left(page: ChatPage): void {
    if (this.#page === page) this.#set(undefined);
  }

  #set(page: ChatPage | undefined): void {
    const hadKeyboard = this.#page !== undefined;
    this.#page = page;
    if (hadKeyboard === (page !== undefined)) return;
    void vscode.commands.executeCommand("setContext", "tiller.chatFocus", page !== undefined);
  }
}
