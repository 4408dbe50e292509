import type * as vscode from "vscode";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { Attention } from "../attention/attention.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import type { Chat } from "../chat.ts";
import type { EditorModels } from "../editor-models/editor-models.ts";
import type { EditorQuestions } from "../editor-questions.ts";
import type { ToolShelf } from "../host-tools/tool-shelf.ts";
import type { Milestones } from "../milestones.ts";
import type { ChatFocus } from "../panel/chat-focus.ts";
import type { ChatPage } from "../panel/chat-page.ts";
import type { Drafts } from "../panel/draft.ts";
import type { Proposals } from "../proposals/proposals.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** What chats share. */
export interface ChatSurroundings {
  readonly context: vscode.ExtensionContext;
  readonly drafts: Drafts;
  readonly sessions: OpenSessions;
  readonly editors: EditorQuestions;
  readonly proposals: Proposals;
  readonly hostTools: ToolShelf;
  readonly editorModels: EditorModels;
  readonly changes: ChangeTracker;
  readonly log: vscode.LogOutputChannel;
  readonly attention: Attention;
  readonly milestones: Milestones;
  readonly keyboard: ChatFocus;
  /** The pages that show a chat. */
  pagesOf(chat: Chat): readonly ChatPage[];
  /** Makes room for one more agent. */
  makeRoom(chat: Chat): Promise<void>;
  /** A chat has another status, or other questions. */
  changed(chat: Chat): void;
  /** The agent of a chat has told something. */
  told(chat: Chat, event: AgentEvent): void;
  /** An extension of the agent has a title for the chat. */
  describe(chat: Chat, title: string): void;
}
