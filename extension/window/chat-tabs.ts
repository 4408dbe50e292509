import * as vscode from "vscode";
import * as z from "zod";
import { DraftCopy } from "../../webview/protocol/draft.ts";
import type { Chat } from "../chat/chat.ts";
import { tabIcon } from "../editor/tab-icon.ts";
import { ChatPage, type PageServices } from "./chat-page.ts";

interface Tab {
  readonly panel: vscode.WebviewPanel;
  readonly page: ChatPage;
}

interface ChatTabsOptions {
  readonly services: PageServices;
  /** Returns the chat of a tab that was open before the window was reloaded. */
  readonly restore: (key: string | undefined) => Chat;
  readonly titleOf: (chat: Chat) => string;
  readonly closed: (page: ChatPage) => void;
}

/** The state that the page stores, which tells its chat. */
const KeptState = z.object({ draft: DraftCopy });

/** Chats as editor tabs, which are restored when the window is reloaded. */
export class ChatTabs implements vscode.WebviewPanelSerializer {
  static readonly viewType = "tiller.chatTab";
  readonly #options: ChatTabsOptions;
  readonly #tabs = new Set<Tab>();

  constructor(options: ChatTabsOptions) {
    this.#options = options;
  }

  get pages(): readonly ChatPage[] {
    return [...this.#tabs].map(({ page }) => page);
  }

  /** Shows a chat in its tab, or in a new one. */
  open(chat: Chat, column: vscode.ViewColumn): void {
    const open = [...this.#tabs].find(({ page }) => page.chat === chat);
    if (open !== undefined) {
      open.panel.reveal();
      open.page.focusComposer();
      return;
    }
    const title = this.#options.titleOf(chat);
    const panel = vscode.window.createWebviewPanel(ChatTabs.viewType, title, column, { retainContextWhenHidden: true });
    this.#add(panel, chat).focusComposer();
  }

  /** Closes the tabs of a chat. */
  close(chat: Chat): void {
    for (const { panel, page } of this.#tabs) if (page.chat === chat) panel.dispose();
  }

  /** Updates the titles of the tabs. */
  rename(): void {
    for (const { panel, page } of this.#tabs) {
      const title = this.#options.titleOf(page.chat);
      if (panel.title !== title) panel.title = title;
    }
  }

  async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const kept = KeptState.safeParse(state).data;
    this.#add(panel, this.#options.restore(kept?.draft.chat || undefined));
  }

  #add(panel: vscode.WebviewPanel, chat: Chat): ChatPage {
    const { services } = this.#options;
    const page = new ChatPage(chat, services);
    const tab = { panel, page };
    this.#tabs.add(tab);
    panel.iconPath = tabIcon(services.extensionUri);
    const attached = page.attach(panel.webview);
    const changed = panel.onDidChangeViewState(() => {
      page.setShown(panel.visible);
      if (panel.active) services.focused(page);
    });
    panel.onDidDispose(() => {
      this.#tabs.delete(tab);
      changed.dispose();
      page.setShown(false);
      attached.dispose();
      this.#options.closed(page);
    });
    page.setShown(panel.visible);
    if (panel.active) services.focused(page);
    return page;
  }
}
