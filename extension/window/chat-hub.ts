import { randomUUID } from "node:crypto";
import type { DialogRequest } from "../../agent/protocol/dialogs.ts";
import { t } from "../../webview/l10n.ts";
import { type AgentStatus, type ChatStatus, isAtWork } from "../../webview/protocol/ui.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatStart } from "../chat/chat-session.ts";

/** A place where a chat is shown. */
export interface ChatView {
  readonly chat: Chat;
  /** Whether it can be seen at this moment. */
  readonly isVisible: boolean;
}

/** A question that waits for the user, and the chat that it belongs to. */
interface PendingQuestion {
  readonly chat: Chat;
  readonly request: DialogRequest;
}

interface ChatHubOptions {
  /** Makes a chat; its agent is not started by that. */
  readonly create: (start: ChatStart) => Chat;
  /** The session file that belongs to a key, if one is remembered. */
  readonly fileOf: (key: string) => string | undefined;
  /** How many agents may run at once. */
  readonly maxRunning: () => number;
  /** Something about the chats, or which of them is meant, has changed. */
  readonly changed: () => void;
}

interface Entry {
  readonly chat: Chat;
  /** Counts up with each use; the smallest is the oldest. */
  usedAt: number;
  lastStatus: AgentStatus;
  isUnread: boolean;
}

/**
 * The conversations of this window, each with an agent of its own. A chat that no view shows lives on while its agent works, waits for an
 * answer or merely runs; once its agent has ended it is let go, and its session is in the history.
 */
export class ChatHub {
  readonly #options: ChatHubOptions;
  readonly #entries = new Map<Chat, Entry>();
  readonly #views = new Set<ChatView>();
  /** Chats that were let go and whose agents have not ended yet. */
  readonly #leaving = new Set<Promise<void>>();
  /** How many are at work in a chat beside the user. */
  readonly #held = new Map<Chat, number>();
  /** Chats whose agents may not start yet. */
  readonly #waiting = new Set<Chat>();
  /** Called once at the next change of a chat. */
  readonly #watchers = new Set<() => void>();
  #focused: ChatView | undefined;
  #uses = 0;

  constructor(options: ChatHubOptions) {
    this.#options = options;
  }

  /** All chats, the one that was opened first in front. */
  get chats(): readonly Chat[] {
    return [...this.#entries.keys()];
  }

  /** The chat that commands are meant for: the one that the user was in last. There must be a view. */
  get focused(): Chat {
    const view = this.#focused ?? [...this.#views][0];
    if (view === undefined) throw new Error(t("No chat is open."));
    return view.chat;
  }

  /** The questions of all chats that wait for the user, with the chat that each belongs to. */
  get pending(): readonly PendingQuestion[] {
    return this.chats.flatMap((chat) => chat.questions.pending.map(({ request }) => ({ chat, request })));
  }

  /** The chat of a session: the one that is open already, or another. */
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

  /** A chat with a new session. @param folder where its agent works; default the one that was chosen last. */
  openNew(isTemporary = false, folder?: string): Chat {
    return this.#add({ key: randomUUID(), isTemporary, folder });
  }

  /** A view is there, or has another chat. */
  viewChanged(view: ChatView): void {
    this.#views.add(view);
    this.#touch(view.chat);
    const entry = this.#entries.get(view.chat);
    if (entry !== undefined && view.isVisible) entry.isUnread = false;
    this.#tidy();
    this.#options.changed();
  }

  /** The view is gone. */
  viewClosed(view: ChatView): void {
    this.#views.delete(view);
    if (this.#focused === view) this.#focused = undefined;
    this.#tidy();
    this.#options.changed();
  }

  /** The user is in this view. */
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

  /** The chat has another status, or other questions. */
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
   * Ends the agent that has been idle longest when as many run as may. Rejects when all of them are at work.
   * @param chat whose agent is about to start.
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

  /** Does something with a chat that no view may show, which is not let go meanwhile. */
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

  /** Whether somebody else than the user is at work in the chat, and hears how it ends. */
  isHeld(chat: Chat): boolean {
    return this.#held.has(chat);
  }

  /** Lets a chat go; resolves when its agent has ended. Views that show it must be given another one first. */
  async close(chat: Chat): Promise<void> {
    if (!this.#entries.delete(chat)) return;
    const ended = chat.dispose();
    this.#leaving.add(ended);
    await ended.finally(() => this.#leaving.delete(ended));
    this.#options.changed();
  }

  /** Ends all agents; resolves when their processes are gone. */
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

  /** What a temporary session was about would be lost. */
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

  /** Lets chats go that nobody looks at and that do nothing, or in which nothing was said. */
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

/** What starts or stops is soon idle or gone. */
function isOnItsWay(chat: Chat): boolean {
  const { status } = chat.transcript.ui;
  return status === "starting" || status === "stopping";
}

function wordNoRoom(count: number): string {
  if (count === 1) {
    return t(
      '1 agent is at work, which is as many as the setting "tiller.maxParallelAgents" allows. Wait for one, stop one, or allow more.',
    );
  }
  return t(
    '{0} agents are at work, which is as many as the setting "tiller.maxParallelAgents" allows. Wait for one, stop one, or allow more.',
    count,
  );
}
