import type * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { type ImageAttachment, MAX_ATTACHMENTS } from "../../webview/protocol/draft.ts";
import { ApprovalDialogs } from "../approval-dialogs.ts";
import { Chat } from "../chat.ts";
import { presentQuestion } from "../dialogs.ts";
import type { EditorQuestions } from "../editor-questions.ts";
import type { HostTool } from "../host-tools/host-tool.ts";
import { HostToolRunner } from "../host-tools/registry.ts";
import { agentCommand, blockedBy, sessionFolder } from "../launch.ts";
import { askAboutCost } from "../models/cost-limit.ts";
import type { ChatPage } from "../panel/chat-page.ts";
import type { Drafts } from "../panel/draft.ts";
import { SessionMode } from "../session-mode.ts";
import { readSetting } from "../settings.ts";
import { createTeller } from "../tell-user.ts";
import { TranscriptStore } from "../transcript-store.ts";
import type { ChatStart } from "./chat-session.ts";
import type { OpenSessions } from "./open-sessions.ts";

/** What chats share. */
export interface ChatSurroundings {
  readonly context: vscode.ExtensionContext;
  readonly drafts: Drafts;
  readonly sessions: OpenSessions;
  readonly editors: EditorQuestions;
  readonly hostTools: readonly HostTool[];
  readonly log: vscode.LogOutputChannel;
  /** The pages that show a chat. */
  pagesOf(chat: Chat): readonly ChatPage[];
  /** Makes room for one more agent. */
  makeRoom(chat: Chat): Promise<void>;
  /** A chat has another status, or other questions. */
  changed(chat: Chat): void;
  /** An extension of the agent has a title for the chat. */
  describe(chat: Chat, title: string): void;
}

/** Makes a chat with everything that the editor has for it. Its agent is started when it is first needed. */
export function createChat(start: ChatStart, around: ChatSurroundings): Chat {
  const { context, drafts, sessions, log } = around;
  const mode = new SessionMode(() => readSetting("permissionMode"));
  const approvals = new ApprovalDialogs();
  const isVisible = () => around.pagesOf(chat).some((page) => page.isVisible);
  const transcript = new TranscriptStore({ cwd: sessionFolder(), uiChanged: () => around.changed(chat) });
  const chat: Chat = new Chat(start, transcript, {
    launch: async () => {
      await around.makeRoom(chat);
      return agentCommand(context, { permissionMode: mode.current, session: chat.session });
    },
    blockedBy,
    mode,
    hostTools: new HostToolRunner(around.hostTools, (toolName, error) =>
      log.error(`${toolName} failed: ${errorMessage(error)}`),
    ),
    present: (question, signal, isWanted) => {
      const arrival = { isWanted, isChatVisible: isVisible() };
      return presentQuestion(question, { editors: around.editors, approvals }, arrival, signal);
    },
    questionsChanged: () => around.changed(chat),
    tell: createTeller({
      isVisible,
      describe: (title) => around.describe(chat, title),
      setText: (text) => putText(chat, text, around),
    }),
    giveBack: (text, images = []) => giveBack(chat, { text, images }, around),
    cost: {
      limitUsd: () => readSetting("costLimit"),
      // Who looks at the chat is asked there.
      passed: (limit) => {
        if (!isVisible()) void askAboutCost(chat, limit);
      },
    },
    session: {
      known: ({ key, file, before }) => {
        drafts.move(before, key);
        if (!start.isTemporary) sessions.remember(key, file);
        if (key !== before) for (const page of around.pagesOf(chat)) page.redraw();
      },
      setRunning: (isRunning) => {
        if (!start.isTemporary) sessions.setRunning(chat.session.key, isRunning);
      },
      wasRunning: () => sessions.wasRunning(chat.session.key),
    },
    log,
  });
  showPanelSettings(chat);
  return chat;
}

/** Tells the pages of a chat the settings that they go by. */
export function showPanelSettings({ transcript }: Chat): void {
  const sendOnEnter = readSetting("sendOnEnter");
  const whileRunning = readSetting("whileRunning");
  const maxImageBytes = readSetting("maxImageBytes");
  transcript.dispatch({
    type: "host_ui",
    ui: { sendOnEnter, whileRunning, density: readSetting("density"), maxImageBytes },
  });
}

/** Puts text into the composers of a chat, in place of what is there. */
export function putText(
  chat: Chat,
  text: string,
  { drafts, pagesOf }: Pick<ChatSurroundings, "drafts" | "pagesOf">,
): void {
  drafts.set(chat.session.key, text);
  for (const page of pagesOf(chat)) page.post({ type: "setDraft", text, mode: "replace" });
}

function giveBack(
  chat: Chat,
  { text, images }: { readonly text: string; readonly images: readonly ImageAttachment[] },
  { drafts, pagesOf }: ChatSurroundings,
): void {
  const { key } = chat.session;
  const isEmpty = drafts.of(key).text === "";
  if (text !== "") drafts.append(key, text);
  if (images.length > 0) {
    const attachments = [...(drafts.of(key).attachments ?? []), ...images].slice(-2 * MAX_ATTACHMENTS);
    drafts.setAttachments(key, attachments);
    for (const page of pagesOf(chat))
      page.post({ type: "setDraft", text: "", mode: "append", attachments: [...images] });
  }
  if (text === "") return;
  // In a second page the same draft is taken as a whole.
  const [page, ...others] = pagesOf(chat);
  page?.post({ type: "setDraft", text, mode: isEmpty ? "replace" : "append" });
  const whole = drafts.of(key).text;
  for (const other of others) other.post({ type: "setDraft", text: whole, mode: "replace" });
}
