import * as vscode from "vscode";
import type { ChatPage } from "./chat-page.ts";

/** Tracks which chat page has the keyboard focus, for the `when` clauses of keybindings: the editor's own focus keys do not see into a page. */
export class ChatFocus {
  #page: ChatPage | undefined;

  /** The page with the keyboard focus. */
  get page(): ChatPage | undefined {
    return this.#page;
  }

  /** Notes that the page got the focus. */
  entered(page: ChatPage): void {
    this.#set(page);
  }

  /** Notes that the page lost the focus, or was closed. */
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
