import { randomUUID } from "node:crypto";
import type { DialogRequest } from "../../agent/protocol/dialogs.ts";
import { t } from "../../webview/l10n.ts";
import { type AgentStatus, type ChatStatus, isAtWork } from "../../webview/protocol/ui.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatStart } from "../chat/chat-session.ts";

/** A place where a chat is shown. */
export interface ChatView {
  readonly chat: Chat;
  /** True while it can be seen. */
  readonly isVisible: boolean;
}

/** A question that waits for the user, and its chat. */
interface PendingQuestion {
  readonly chat: Chat;
  readonly request: DialogRequest;
}

interface ChatHubOptions {
  /** Creates a chat without starting its agent. */
  readonly create: (start: ChatStart) => Chat;
  /** Returns the remembered session file of a key. */
  readonly fileOf: (key: string) => string | undefined;
  /** Returns the maximum number of agents that run at once. */
  readonly maxRunning: () => number;
  /** Called when a chat, or the focused chat, has changed. */
  readonly changed: () => void;
}

interface Entry {
  readonly chat: Chat;
  /** Increases with each use; the smallest is the oldest. */
  usedAt: number;
  lastStatus: AgentStatus;
  isUnread: boolean;
}

/**
 * The chats of this window, each with an agent of its own. A chat without a view stays open while its agent works, waits for an answer or
 * merely runs; once its agent has exited it is closed, and its session is in the history.
 */
export class ChatHub {
  readonly #options: ChatHubOptions;
  readonly #entries = new Map<Chat, Entry>();
  readonly #views = new Set<ChatView>();
  /** Closed chats whose agents have not exited yet. */
  readonly #leaving = new Set<Promise<void>>();
  /** Number of holders that work in a chat besides the user. */
  readonly #held = new Map<Chat, number>();
  /** Chats whose agents wait for room to start. */
  readonly #waiting = new Set<Chat>();
  /** Callbacks for the next change of a chat, called once. */
  readonly #watchers = new Set<() => void>();
  #focused: ChatView | undefined;
  #uses = 0;

  constructor(options: ChatHubOptions) {
    this.#options = options;
  }

  /** All chats, in the order in which they were opened. */
  get chats(): readonly Chat[] {
    return [...this.#entries.keys()];
  }

  /** The chat that commands apply to: the one that was focused last. There must be a view. */
  get focused(): Chat {
    const view = this.#focused ?? [...this.#views][0];
    if (view === undefined) throw new Error(t("No chat is open."));
    return view.chat;
  }

  /** The pending questions of all chats. */
  get pending(): readonly PendingQuestion[] {
    return this.chats.flatMap((chat) => chat.questions.pending.map(({ request }) => ({ chat, request })));
  }

  /** Returns the chat of a session; opens one if needed. */
  open(session: {
    readonly key?: string | undefined;
    readonly file?: string | undefined;
    readonly folder?: string | undefined;
  }): Chat {
    const { key, file, folder } = session;
    const open = this.chats.find(
      (chat) => chat.session.key === key || (file !== undefined && chat.session.file === file),
    );
    if (open !== undefined) return open;
    const start = key ?? randomUUID();
    return this.#add({ key: start, file: file ?? this.#options.fileOf(start), folder });
  }

  /** Opens a chat with a new session. @param folder the folder of its agent; default the one that was chosen last. */
  openNew(isTemporary = false, folder?: string): Chat {
    return this.#add({ key: randomUUID(), isTemporary, folder });
  }

  /** Notes that a view was opened, or shows another chat or visibility. */
  viewChanged(view: ChatView): void {
    this.#views.add(view);
    this.#touch(view.chat);
    const entry = this.#entries.get(view.chat);
    if (entry !== undefined && view.isVisible) entry.isUnread = false;
    this.#tidy();
    this.#options.changed();
  }

  /** Notes that a view was closed. */
  viewClosed(view: ChatView): void {
    this.#views.delete(view);
    if (this.#focused === view) this.#focused = undefined;
    this.#tidy();
    this.#options.changed();
  }

  /** Notes that the user focused a view. */
  focus(view: ChatView): void {
    this.#focused = view;
    this.viewChanged(view);
  }

  isVisible(chat: Chat): boolean {
    return [...this.#views].some((view) => view.chat === chat && view.isVisible);
  }

  statusOf(chat: Chat): ChatStatus {
    if (chat.questions.pending.length > 0) return "asking";
    const { status } = chat.transcript.ui;
    const isUnread = this.#entries.get(chat)?.isUnread ?? false;
    return isUnread && !isAtWork(status) && status !== "crashed" ? "done" : status;
  }

  /** Notes a change of a chat's status or questions. */
  chatChanged(chat: Chat): void {
    const entry = this.#entries.get(chat);
    if (entry === undefined) return;
    const { status } = chat.transcript.ui;
    const hasEnded = (entry.lastStatus === "running" || entry.lastStatus === "stopping") && status === "idle";
    if (hasEnded) entry.isUnread = !this.isVisible(chat);
    if (hasEnded || status === "running") this.#touch(chat);
    entry.lastStatus = status;
    this.#wakeWatchers();
    this.#tidy();
    this.#options.changed();
  }

  /**
   * Stops the agent that has been idle longest when the maximum is running. Rejects when all of them are at work.
   * @param chat the chat whose agent is about to start.
   */
  async makeRoom(chat: Chat): Promise<void> {
    const max = this.#options.maxRunning();
    this.#waiting.add(chat);
    try {
      for (;;) {
        const others = this.chats.filter((other) => !this.#waiting.has(other) && isActive(other));
        if (others.length < max) return;
        const [oldest] = others.filter((other) => this.#isParkable(other)).sort((a, b) => this.#compare(a, b));
        if (oldest !== undefined) await oldest.park();
        else if (others.some(isOnItsWay)) await this.#nextChange();
        else throw new Error(wordNoRoom(others.length));
        if (!this.#entries.has(chat)) throw new Error(t("The chat was closed."));
      }
    } finally {
      this.#waiting.delete(chat);
    }
  }

  /** Runs work on a chat that may have no view, and keeps it open meanwhile. */
  async hold<T>(chat: Chat, work: () => Promise<T>): Promise<T> {
    this.#held.set(chat, (this.#held.get(chat) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#held.get(chat) ?? 1) - 1;
      if (left === 0) this.#held.delete(chat);
      else this.#held.set(chat, left);
      this.#tidy();
    }
  }

  /** True if another extension works in the chat and learns how the run ends. */
  isHeld(chat: Chat): boolean {
    return this.#held.has(chat);
  }

  /** Closes a chat; resolves when its agent has exited. Views that show it must be given another one first. */
  async close(chat: Chat): Promise<void> {
    if (!this.#entries.delete(chat)) return;
    const ended = chat.dispose();
    this.#leaving.add(ended);
    await ended.finally(() => this.#leaving.delete(ended));
    this.#options.changed();
  }

  /** Stops all agents; resolves when their processes have exited. */
  async dispose(): Promise<void> {
    await Promise.all([...this.chats.map((chat) => chat.dispose()), ...this.#leaving]);
    this.#entries.clear();
    this.#wakeWatchers();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#watchers.add(resolve));
  }

  #wakeWatchers(): void {
    const watchers = [...this.#watchers];
    this.#watchers.clear();
    for (const wake of watchers) wake();
  }

  #add(start: ChatStart): Chat {
    const chat = this.#options.create(start);
    this.#entries.set(chat, { chat, usedAt: 0, lastStatus: chat.transcript.ui.status, isUnread: false });
    this.#touch(chat);
    return chat;
  }

  #touch(chat: Chat): void {
    const entry = this.#entries.get(chat);
    this.#uses += 1;
    if (entry !== undefined) entry.usedAt = this.#uses;
  }

  /** True when the agent may be stopped; false where the content of a temporary session would be lost. */
  #isParkable(chat: Chat): boolean {
    const status = this.statusOf(chat);
    return (
      (status === "idle" || status === "done") &&
      (!chat.session.isTemporary || chat.isUntouched) &&
      !this.#held.has(chat)
    );
  }

  #compare(a: Chat, b: Chat): number {
    const usedAt = (chat: Chat) => this.#entries.get(chat)?.usedAt ?? 0;
    return Number(this.isVisible(a)) - Number(this.isVisible(b)) || usedAt(a) - usedAt(b);
  }

  /** Closes chats without a view that do nothing, or that have no content. */
  #tidy(): void {
    const shown = new Set([...this.#views].map((view) => view.chat));
    for (const chat of this.chats) {
      if (shown.has(chat) || this.#held.has(chat)) continue;
      const isAlive = isActive(chat) || chat.transcript.ui.status === "crashed";
      if (!isAlive || chat.isUntouched) void this.close(chat);
    }
  }
}

function isActive(chat: Chat): boolean {
  const { status } = chat.transcript.ui;
  return status === "idle" || isAtWork(status);
}

/** True when the agent will soon be idle or gone. */
function isOnItsWay(chat: Chat): boolean {
  const { status } = chat.transcript.ui;
  return status === "starting" || status === "stopping";
}

function wordNoRoom(count: number): string {
  if (count === 1) {
    return t(
      '1 agent is running, which is the maximum allowed by the setting "tiller.maxParallelAgents". Wait for it to finish, stop it, or raise the limit.',
    );
  }
  return t(
    '{0} agents are running, which is the maximum allowed by the setting "tiller.maxParallelAgents". Wait for one to finish, stop one, or raise the limit.',
    count,
  );
}
