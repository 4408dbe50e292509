import * as vscode from "vscode";
import * as z from "zod";
import { DraftCopy } from "../../webview/protocol/draft.ts";
import type { Chat } from "../chat/chat.ts";
import { ChatPage, type PageServices } from "./chat-page.ts";

interface Tab {
  readonly panel: vscode.WebviewPanel;
  readonly page: ChatPage;
}

interface ChatTabsOptions {
  readonly services: PageServices;
  /** The chat of a tab that was open before a reload of the window. */
  readonly restore: (key: string | undefined) => Chat;
  readonly titleOf: (chat: Chat) => string;
  readonly closed: (page: ChatPage) => void;
}

/** What the page keeps for itself says which chat it shows. */
const KeptState = z.object({ draft: DraftCopy });

/** Chats as tabs of the editor, which come back after a reload of the window. */
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

  /** Shows a chat in a tab: in the one that it has, or in another one. */
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

  /** Gives the tabs the titles that their chats have by then. */
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
    panel.iconPath = vscode.Uri.joinPath(services.extensionUri, "media", "tiller.svg");
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
