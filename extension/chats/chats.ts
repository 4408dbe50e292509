import * as vscode from "vscode";
import type { Attachment } from "../../webview/protocol/draft.ts";
import type { Chat } from "../chat.ts";
import { isApproval } from "../dialogs.ts";
import type { EditorQuestions } from "../editor-questions.ts";
import type { HostTool } from "../host-tools/host-tool.ts";
import type { ChatPage, PanelMessage } from "../panel/chat-page.ts";
import { ChatTabs } from "../panel/chat-tabs.ts";
import { Drafts } from "../panel/draft.ts";
import { PanelProvider } from "../panel/panel-provider.ts";
import { readSetting } from "../settings.ts";
import { type ChatSurroundings, createChat, putText } from "./chat-factory.ts";
import { ChatHub } from "./chat-hub.ts";
import { OpenSessions } from "./open-sessions.ts";

interface ChatsOptions {
  readonly context: vscode.ExtensionContext;
  readonly editors: EditorQuestions;
  readonly hostTools: readonly HostTool[];
  readonly log: vscode.LogOutputChannel;
  /** A message about the chat of a page. */
  received(message: PanelMessage, page: ChatPage): void;
}

/** The conversations of this window and the places where they are shown: the view in the side bar, and tabs. */
export class Chats {
  readonly hub: ChatHub;
  readonly drafts: Drafts;
  readonly side: PanelProvider;
  readonly tabs: ChatTabs;
  readonly #sessions: OpenSessions;
  readonly #titles = new WeakMap<Chat, string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #editors: EditorQuestions;
  #visible: readonly Chat[] = [];

  constructor(options: ChatsOptions) {
    const { context, log } = options;
    this.drafts = new Drafts(context.workspaceState);
    this.#sessions = new OpenSessions(context.workspaceState);
    this.#editors = options.editors;
    const around: ChatSurroundings = {
      ...options,
      drafts: this.drafts,
      sessions: this.#sessions,
      pagesOf: (chat) => this.pagesOf(chat),
      makeRoom: (chat) => this.hub.makeRoom(chat),
      changed: (chat) => this.hub.chatChanged(chat),
      describe: (chat, title) => {
        this.#titles.set(chat, title);
        this.#chatsChanged();
      },
    };
    this.hub = new ChatHub({
      create: (start) => createChat(start, around),
      fileOf: (key) => this.#sessions.file(key),
      maxRunning: () => readSetting("maxParallelAgents"),
      changed: () => this.#chatsChanged(),
    });
    const services = {
      extensionUri: context.extensionUri,
      drafts: this.drafts,
      log,
      received: (message: PanelMessage, page: ChatPage) => {
        if (message.type !== "draft" && message.type !== "pageError") this.hub.focus(page);
        options.received(message, page);
      },
      changed: (page: ChatPage) => this.#pageChanged(page),
      focused: (page: ChatPage) => this.hub.focus(page),
    };
    this.tabs = new ChatTabs({
      services,
      restore: (key) => this.hub.open({ key }),
      titleOf: (chat) => this.titleOf(chat),
      closed: (page) => this.hub.viewClosed(page),
    });
    const first = this.hub.open({ key: this.#sessions.side });
    this.side = new PanelProvider(first, services);
    this.hub.viewChanged(this.side.page);
    this.#sessions.showAtSide(first.session.key);
  }

  /** The chat that commands are meant for. */
  get focused(): Chat {
    return this.hub.focused;
  }

  /** Tells of every change: of a status, of questions, of what is shown where. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  titleOf(chat: Chat): string {
    const own = this.#titles.get(chat) || chat.session.title;
    if (own !== undefined) return own;
    return chat.session.isTemporary ? "Temporary Chat" : "New Chat";
  }

  pagesOf(chat: Chat): readonly ChatPage[] {
    return [this.side.page, ...this.tabs.pages].filter((page) => page.chat === chat);
  }

  /** Shows a chat in the side bar, with the keyboard in it. */
  async showAtSide(chat: Chat): Promise<void> {
    this.side.page.show(chat);
    this.hub.focus(this.side.page);
    await this.side.focus();
    chat.wake();
  }

  /** Shows a chat in a tab, with the keyboard in it. */
  showInTab(chat: Chat, column: vscode.ViewColumn = vscode.ViewColumn.Active): void {
    this.tabs.open(chat, column);
    chat.wake();
  }

  /** Begins a conversation in the side bar; one in which nothing was said yet is as good as another. */
  async startNew(isTemporary = false): Promise<void> {
    const { chat } = this.side.page;
    const isUsable = chat.isUntouched && !isTemporary && !chat.session.isTemporary;
    await this.showAtSide(isUsable ? chat : this.hub.openNew(isTemporary));
  }

  /** Lets go of a chat whose session is about to be deleted. */
  async close(chat: Chat): Promise<void> {
    if (this.side.page.chat === chat) this.side.page.show(this.hub.openNew());
    this.tabs.close(chat);
    await this.hub.close(chat);
  }

  /** What the user typed in one page is what the other pages of the chat show. */
  draftTyped(page: ChatPage, key: string, text: string): void {
    const { chat } = page;
    if (!this.drafts.set(key || chat.session.key, text) || (key !== "" && key !== chat.session.key)) return;
    for (const other of this.pagesOf(chat)) {
      if (other !== page) other.post({ type: "setDraft", text, mode: "replace" });
    }
  }

  /** What belongs to the draft beside its text has changed in one page: it is what the other pages of the chat show. */
  attachmentsChanged(page: ChatPage, key: string, attachments: Attachment[]): void {
    const { chat } = page;
    this.drafts.setAttachments(key || chat.session.key, attachments);
    if (key !== "" && key !== chat.session.key) return;
    const { text } = this.drafts.of(chat.session.key);
    for (const other of this.pagesOf(chat)) {
      if (other !== page) other.post({ type: "setDraft", text, mode: "replace", attachments });
    }
  }

  /** Puts a text into every composer of a chat, in place of what is there. */
  setDraft(chat: Chat, text: string): void {
    putText(chat, text, { drafts: this.drafts, pagesOf: () => this.pagesOf(chat) });
  }

  /** The message is on its way: no composer of the chat holds it any more. */
  draftSent({ chat }: ChatPage): void {
    putText(chat, "", { drafts: this.drafts, pagesOf: () => this.pagesOf(chat) });
  }

  #pageChanged(page: ChatPage): void {
    // The view asks for this while it is made.
    if (this.side === undefined) return;
    if (page === this.side.page && !page.chat.session.isTemporary) this.#sessions.showAtSide(page.chat.session.key);
    this.hub.viewChanged(page);
    const { status } = page.chat.transcript.ui;
    if (page.isVisible && status === "stopped") page.chat.wake();
  }

  /** An approval whose card cannot be seen any more has to come to the user in another way. */
  #remind(): void {
    const before = this.#visible;
    this.#visible = this.hub.chats.filter((chat) => this.hub.isVisible(chat));
    for (const chat of before) if (!this.#visible.includes(chat)) chat.questions.remind(isApproval);
  }

  #chatsChanged(): void {
    if (this.side === undefined) return;
    const pending = this.hub.chats.flatMap((chat) => chat.questions.pending.map(({ request }) => request.id));
    this.#editors.keepDraftsOf(pending);
    this.side.badge(pending.length);
    this.side.describe(this.#titles.get(this.side.page.chat) || (this.side.page.chat.session.title ?? ""));
    this.tabs.rename();
    if (!this.side.page.chat.session.isTemporary) this.#sessions.showAtSide(this.side.page.chat.session.key);
    this.#remind();
    this.#changed.fire();
  }
}
