import type { SessionSummary } from "../../../agent/protocol/history.ts";
import type { ChatStatus } from "../../../webview/protocol/ui.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatHub } from "../../window/chat-hub.ts";
import { PAGE_SIZE } from "./session-words.ts";

/** A session of the project, and the state of the chat that has it open. */
export interface SessionRow {
  readonly summary: SessionSummary;
  readonly state: ChatStatus | undefined;
  /** True when an agent of another window or program has it open. */
  readonly isElsewhere: boolean;
  /** True for the session of the chat that commands apply to. */
  readonly isCurrent: boolean;
}

/** A page of sessions, newest first. */
export interface SessionPage {
  readonly rows: readonly SessionRow[];
  readonly nextCursor: string | undefined;
  /** Number of all sessions. */
  readonly total: number;
}

/** Reads the project's sessions from disk through a running agent, or else through that of the focused chat. */
export class SessionHistory {
  readonly #hub: ChatHub;

  constructor(hub: ChatHub) {
    this.#hub = hub;
  }

  /** True when an agent is running. */
  get hasAgent(): boolean {
    return this.#hub.chats.some((chat) => chat.agent.client !== undefined);
  }

  /** @returns undefined when a later search has replaced this one. */
  async list(
    options: { readonly query?: string; readonly cursor?: string | undefined; readonly limit?: number } = {},
  ): Promise<SessionPage | undefined> {
    const { query, cursor, limit = PAGE_SIZE } = options;
    const answer = await this.#reader().request("list_sessions", {
      limit,
      ...(query ? { query } : {}),
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (answer.isSuperseded) return undefined;
    const rows = answer.sessions.map((summary) => this.row(summary));
    return { rows, nextCursor: answer.nextCursor, total: answer.total };
  }

  /** Returns a row with the present state of the session's chat. */
  row(summary: SessionSummary): SessionRow {
    const chat = this.chatOf(summary);
    return {
      summary,
      state: chat === undefined ? undefined : this.#hub.statusOf(chat),
      isElsewhere: summary.isLocked && chat === undefined,
      isCurrent: chat !== undefined && chat === this.#hub.focused,
    };
  }

  /** Returns the chat that has the session open. */
  chatOf({ path, id }: SessionSummary): Chat | undefined {
    return this.#hub.chats.find(
      ({ session }) => session.file === path || (session.file === undefined && session.key === id),
    );
  }

  /** Shows the messages of a session while its own agent starts. */
  async preview(chat: Chat, sessionPath: string): Promise<void> {
    const reader = this.#reader();
    if (reader === chat || reader.agent.client === undefined) return;
    const { messages } = await reader.request("read_session", { sessionPath });
    chat.preview(messages);
  }

  async rename(summary: SessionSummary, name: string): Promise<void> {
    const chat = this.chatOf(summary);
    const owner = chat?.agent.client === undefined ? this.#reader() : chat;
    await owner.request("rename_session", { sessionPath: summary.path, name });
  }

  /** Moves a session to the trash. No chat may have it open. @returns the id for `restore`. */
  async delete(sessionPath: string): Promise<string> {
    return (await this.#reader().request("delete_session", { sessionPath })).trashId;
  }

  async restore(trashId: string): Promise<void> {
    await this.#reader().request("restore_session", { trashId });
  }

  #reader(): Chat {
    const { focused, chats } = this.#hub;
    if (focused.agent.client !== undefined) return focused;
    return chats.find((chat) => chat.agent.client !== undefined) ?? focused;
  }
}
