import * as vscode from "vscode";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { t } from "../../webview/l10n.ts";
import type { Attachment } from "../../webview/protocol/draft.ts";
import type { Chat } from "../chat/chat.ts";
import { readSetting } from "../editor/settings.ts";
import type { ChangeTracker } from "../host/changes/change-tracker.ts";
import { bringModels } from "../host/editor-models/bring-models.ts";
import { EditorModels } from "../host/editor-models/editor-models.ts";
import type { HostToolSet } from "../host/host-tools/host-tool-set.ts";
import type { Proposals } from "../host/proposals/proposals.ts";
import type { EditorQuestions } from "../host/questions/editor-questions.ts";
import { Attention } from "./attention.ts";
import { createChat, putText } from "./chat-factory.ts";
import { ChatFocus } from "./chat-focus.ts";
import { ChatHub } from "./chat-hub.ts";
import type { ChatPage, PanelMessage } from "./chat-page.ts";
import type { ChatSurroundings } from "./chat-surroundings.ts";
import { ChatTabs } from "./chat-tabs.ts";
import { Drafts } from "./draft.ts";
import { pickFolder } from "./folders.ts";
import { addToDraft } from "./give-back.ts";
import { Milestones } from "./milestones.ts";
import { OpenSessions } from "./open-sessions.ts";
import { PanelProvider } from "./panel-provider.ts";
import { QuietRuns } from "./quiet-runs.ts";

interface ChatsOptions extends Pick<ChatSurroundings, "compose"> {
  readonly context: vscode.ExtensionContext;
  readonly editors: EditorQuestions;
  readonly proposals: Proposals;
  readonly hostTools: HostToolSet;
  readonly changes: ChangeTracker;
  readonly log: vscode.LogOutputChannel;
  /** Called for a message about the chat of a page. */
  received(message: PanelMessage, page: ChatPage): void;
}

type Typed = Extract<PanelMessage, { type: "draft" }>;

/** The title that an extension of the agent has given a chat; empty for none. */
class GivenTitle {
  text = "";
}

/** The chats of this window and the places where they are shown: the view in the side bar, and tabs. */
export class Chats {
  readonly hub: ChatHub;
  /** The host tools of the window. */
  readonly hostTools: HostToolSet;
  readonly drafts: Drafts;
  readonly side: PanelProvider;
  readonly tabs: ChatTabs;
  readonly keyboard = new ChatFocus();
  /** Texts that the model writes outside of the chats. */
  readonly quiet: QuietRuns;
  readonly #sessions: OpenSessions;
  readonly #pickFolder: () => Promise<string | undefined>;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #told = new vscode.EventEmitter<{ readonly chat: Chat; readonly event: AgentEvent }>();
  readonly #proposals: Proposals;
  #visible: readonly Chat[] = [];

  constructor(options: ChatsOptions) {
    const { context, log } = options;
    this.hostTools = options.hostTools;
    this.drafts = new Drafts(context.workspaceState);
    this.#sessions = new OpenSessions(context.workspaceState);
    this.#pickFolder = () => pickFolder(context.workspaceState);
    this.#proposals = options.proposals;
    const editorModels = new EditorModels(log, () => bringModels([...this.hub.chats, ...this.quiet.chats], log));
    context.subscriptions.push(editorModels);
    const around: ChatSurroundings = {
      ...options,
      editorModels,
      drafts: this.drafts,
      sessions: this.#sessions,
      attention: new Attention(this),
      milestones: new Milestones(context.globalState),
      keyboard: this.keyboard,
      pagesOf: (chat) => this.pagesOf(chat),
      makeRoom: (chat) => this.hub.makeRoom(chat),
      changed: (chat) => this.hub.chatChanged(chat),
      told: (chat, event) => this.#told.fire({ chat, event }),
      describe: (chat, title) => {
        chat.parts.of(GivenTitle).text = title;
        this.#chatsChanged();
      },
    };
    this.quiet = new QuietRuns((start) => createChat(start, around));
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
      keyboard: (page: ChatPage, isIn: boolean) => (isIn ? this.keyboard.entered(page) : this.keyboard.left(page)),
    };
    this.tabs = new ChatTabs({
      services,
      restore: (key) => this.hub.open({ key }),
      titleOf: (chat) => this.titleOf(chat),
      closed: (page) => this.hub.viewClosed(page),
    });
    const first = this.hub.open({ key: readSetting("autoResume") ? this.#sessions.side : undefined });
    this.side = new PanelProvider(first, services);
    this.hub.viewChanged(this.side.page);
    this.#sessions.showAtSide(first.session.key);
  }

  /** The chat that commands apply to. */
  get focused(): Chat {
    return this.hub.focused;
  }

  /** Fires at every change of a status, of questions, or of what is shown where. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event;
  }

  /** Fires for every event of every agent. */
  get onDidTell(): vscode.Event<{ readonly chat: Chat; readonly event: AgentEvent }> {
    return this.#told.event;
  }

  titleOf(chat: Chat): string {
    const own = chat.parts.of(GivenTitle).text || chat.session.title;
    if (own !== undefined) return own;
    return chat.session.isTemporary ? t("Temporary Chat") : t("New Chat");
  }

  pagesOf(chat: Chat): readonly ChatPage[] {
    return [this.side.page, ...this.tabs.pages].filter((page) => page.chat === chat);
  }

  /** Shows a chat in the side bar and focuses it. */
  async showAtSide(chat: Chat): Promise<void> {
    this.side.page.show(chat);
    this.hub.focus(this.side.page);
    await this.side.focus();
    chat.wake();
  }

  /** True when a page that shows the chat is visible. */
  isVisible(chat: Chat): boolean {
    return this.pagesOf(chat).some((page) => page.isVisible);
  }

  /** Returns the loaded pages, including hidden ones; those that show the chat first. */
  loadedPages(chat: Chat): readonly ChatPage[] {
    const loaded = [this.side.page, ...this.tabs.pages].filter((page) => page.isLoaded);
    return [...loaded.filter((page) => page.chat === chat), ...loaded.filter((page) => page.chat !== chat)];
  }

  /** Returns the chat of a session that is open or remembered in this workspace. */
  find(key: string): Chat | undefined {
    const file = this.#sessions.file(key);
    if (file !== undefined) return this.hub.open({ key, file });
    return this.hub.chats.find((chat) => chat.session.key === key);
  }

  /** Brings a chat to the front where it is shown, and focuses it. */
  async reveal(chat: Chat): Promise<ChatPage> {
    if (this.side.page.chat !== chat && this.pagesOf(chat).length > 0) {
      this.showInTab(chat);
      return this.pagesOf(chat)[0] ?? this.side.page;
    }
    await this.showAtSide(chat);
    return this.side.page;
  }

  /** Shows a chat in a tab and focuses it. */
  showInTab(chat: Chat, column: vscode.ViewColumn = vscode.ViewColumn.Active): void {
    this.tabs.open(chat, column);
    chat.wake();
  }

  /** Starts a conversation in the side bar; an untouched one in the same folder is reused. */
  async startNew(isTemporary = false): Promise<void> {
    const folder = await this.#pickFolder();
    if (folder === undefined) return;
    const { chat } = this.side.page;
    const isAsGood = chat.session.folder === folder && !chat.session.isTemporary;
    const isUsable = chat.isUntouched && !isTemporary && isAsGood;
    await this.showAtSide(isUsable ? chat : this.hub.openNew(isTemporary, folder));
  }

  /** Starts a conversation in a tab. */
  async startNewInTab(): Promise<void> {
    const folder = await this.#pickFolder();
    if (folder !== undefined) this.showInTab(this.hub.openNew(false, folder));
  }

  /** Starts a conversation in the place of a page. */
  async startNewIn(page: ChatPage): Promise<void> {
    if (page === this.side.page) return this.startNew();
    const folder = await this.#pickFolder();
    if (folder !== undefined) page.show(this.hub.openNew(false, folder));
  }

  /** Closes a chat whose session is about to be deleted. */
  async close(chat: Chat): Promise<void> {
    if (this.side.page.chat === chat) this.side.page.show(this.hub.openNew());
    this.tabs.close(chat);
    await this.hub.close(chat);
  }

  /** Copies the text typed in one page to the other pages of the chat. */
  draftTyped(page: ChatPage, { chat: key, text, place }: Typed): void {
    const { chat } = page;
    if (!this.drafts.set(key || chat.session.key, text, place) || (key !== "" && key !== chat.session.key)) return;
    for (const other of this.pagesOf(chat)) {
      if (other !== page) other.post({ type: "setDraft", text, mode: "replace" });
    }
  }

  /** Copies the attachments changed in one page to the other pages of the chat. */
  attachmentsChanged(page: ChatPage, key: string, attachments: Attachment[]): void {
    const { chat } = page;
    this.drafts.setAttachments(key || chat.session.key, attachments);
    if (key !== "" && key !== chat.session.key) return;
    const { text } = this.drafts.of(chat.session.key);
    for (const other of this.pagesOf(chat)) {
      if (other !== page) other.post({ type: "setDraft", text, mode: "replace", attachments });
    }
  }

  /** Replaces the text in every composer of a chat. */
  setDraft(chat: Chat, text: string): void {
    putText(chat, text, { drafts: this.drafts, pagesOf: () => this.pagesOf(chat) });
  }

  /** Adds text and attachments to the draft of a chat. */
  addToDraft(chat: Chat, text: string, attachments: readonly Attachment[]): void {
    addToDraft(chat, { text, attachments }, { drafts: this.drafts, pagesOf: () => this.pagesOf(chat) });
  }

  #pageChanged(page: ChatPage): void {
    // Called by the view while it is being created.
    if (this.side === undefined) return;
    if (page === this.side.page && !page.chat.session.isTemporary) this.#sessions.showAtSide(page.chat.session.key);
    this.hub.viewChanged(page);
    const { status } = page.chat.transcript.ui;
    if (!page.isVisible || status !== "stopped") return;
    void this.#showSaved(page.chat);
    page.chat.wake();
  }

  /** Shows the saved messages before the agent has started. The agent reports a file that cannot be read. */
  async #showSaved(chat: Chat): Promise<void> {
    const { file } = chat.session;
    if (file === undefined || !chat.transcript.isEmpty) return;
    const { savedMessages } = await import("./saved-messages.ts");
    const messages = await savedMessages(file).catch(() => []);
    chat.preview(messages);
  }

  /** Shows questions whose card is no longer visible in another way. */
  #remind(): void {
    const before = this.#visible;
    this.#visible = this.hub.chats.filter((chat) => this.hub.isVisible(chat));
    for (const chat of before) if (!this.#visible.includes(chat)) chat.questions.remind();
  }

  #chatsChanged(): void {
    if (this.side === undefined) return;
    const pending = this.hub.pending.map(({ request }) => request.id);
    this.#proposals.keepOnly(pending);
    const askers = this.hub.chats.filter(({ questions }) => questions.pending.length > 0);
    this.side.badge(
      pending.length,
      askers.map((chat) => this.titleOf(chat)),
    );
    const { parts, session, transcript } = this.side.page.chat;
    const { folder } = transcript.ui;
    const title = parts.of(GivenTitle).text || (session.title ?? "");
    this.side.describe([folder ?? "", title].filter((part) => part !== "").join(" · "));
    this.tabs.rename();
    if (!session.isTemporary) this.#sessions.showAtSide(session.key);
    this.#remind();
    this.#changed.fire();
  }
}
