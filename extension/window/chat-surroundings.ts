import type * as vscode from "vscode";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { ContextAttachment } from "../../webview/protocol/context.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChangeTracker } from "../host/changes/change-tracker.ts";
import type { EditorModels } from "../host/editor-models/editor-models.ts";
import type { HostToolSet } from "../host/host-tools/host-tool-set.ts";
import type { Proposals } from "../host/proposals/proposals.ts";
import type { EditorQuestions } from "../host/questions/editor-questions.ts";
import type { Attention } from "./attention.ts";
import type { ChatFocus } from "./chat-focus.ts";
import type { ChatPage } from "./chat-page.ts";
import type { Drafts } from "./draft.ts";
import type { Milestones } from "./milestones.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** Services that the chats of a window share. */
export interface ChatSurroundings {
  readonly context: vscode.ExtensionContext;
  readonly drafts: Drafts;
  readonly sessions: OpenSessions;
  readonly editors: EditorQuestions;
  readonly proposals: Proposals;
  readonly hostTools: HostToolSet;
  readonly editorModels: EditorModels;
  readonly changes: ChangeTracker;
  readonly log: vscode.LogOutputChannel;
  readonly attention: Attention;
  readonly milestones: Milestones;
  readonly keyboard: ChatFocus;
  /** Reads what goes with a message and puts it before the text. */
  compose(text: string, contexts: readonly ContextAttachment[], chat: Chat): Promise<string>;
  /** Returns the pages that show a chat. */
  pagesOf(chat: Chat): readonly ChatPage[];
  /** Makes room for one more agent. */
  makeRoom(chat: Chat): Promise<void>;
  /** Called when a chat's status or questions have changed. */
  changed(chat: Chat): void;
  /** Called for each event of a chat's agent. */
  told(chat: Chat, event: AgentEvent): void;
  /** Called when an extension of the agent sets a title for the chat. */
  describe(chat: Chat, title: string): void;
}
