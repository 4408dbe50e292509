import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import { ApprovalDialogs } from "../approval-dialogs.ts";
import type { Attention } from "../attention/attention.ts";
import { RunEnds } from "../attention/run-ends.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import { Chat } from "../chat.ts";
import { readChatFonts } from "../chat-fonts.ts";
import { addToDraft } from "../composer/give-back.ts";
import { presentQuestion, showsItself } from "../dialogs.ts";
import type { EditorModels } from "../editor-models/editor-models.ts";
import type { EditorQuestions } from "../editor-questions.ts";
import { HostToolRunner } from "../host-tools/registry.ts";
import type { ToolShelf } from "../host-tools/tool-shelf.ts";
import { agentCommand, blockedBy } from "../launch.ts";
import { takeApart } from "../mentions/sent-chips.ts";
import type { Milestones } from "../milestones.ts";
import { askAboutCost } from "../models/cost-limit.ts";
import type { ChatFocus } from "../panel/chat-focus.ts";
import type { ChatPage } from "../panel/chat-page.ts";
import type { Drafts } from "../panel/draft.ts";
import type { Proposals } from "../proposals/proposals.ts";
import { SessionMode } from "../session-mode.ts";
import { readSetting } from "../settings.ts";
import { createTeller } from "../tell-user.ts";
import { traceLimits } from "../trace/trace-limits.ts";
import { TranscriptStore } from "../transcript-store.ts";
import type { ChatStart } from "./chat-session.ts";
import { folderLabel, startFolder } from "./folders.ts";
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

/** So long the keyboard is on its way from a question that was answered to where it was before, in ms. */
const FLOW_MS = 2_000;

/** Makes a chat with everything that the editor has for it. Its agent is started when it is first needed. */
export function createChat(start: ChatStart, around: ChatSurroundings): Chat {
  const { context, drafts, sessions, log } = around;
  const mode = new SessionMode(() => readSetting("permissionMode"));
  const approvals = new ApprovalDialogs();
  let answeredAt = 0;
  const isVisible = () => around.pagesOf(chat).some((page) => page.isVisible);
  const folder = startFolder(start.folder ?? sessions.folder(start.key), context.workspaceState);
  const transcript = new TranscriptStore({ cwd: folder, uiChanged: () => around.changed(chat) });
  transcript.trace.configure(traceLimits());
  const chat: Chat = new Chat({ ...start, folder }, transcript, {
    launch: async () => {
      around.editorModels.watch();
      await Promise.all([around.makeRoom(chat), around.hostTools.look()]);
      return agentCommand(context, { permissionMode: mode.current, session: chat.session });
    },
    blockedBy,
    mode,
    hostModels: around.editorModels.port(),
    hostTools: new HostToolRunner({
      shelf: around.hostTools,
      changes: around.changes,
      chat: {
        folder,
        get session() {
          return chat.session.key;
        },
        isKeyboardInChat: () => around.keyboard.page !== undefined,
        ask: (question, signal) => chat.asked.host.ask(question, signal),
      },
      failed: (toolName, error) => log.error(`${toolName} failed: ${errorMessage(error)}`),
    }),
    present: async (question, signal, isWanted) => {
      const arrival = {
        isWanted,
        hasKeyboard: around.keyboard.page !== undefined || Date.now() - answeredAt < FLOW_MS,
        isChatVisible: isVisible(),
        mayNotify: () => around.attention.questionCame(chat, question.request.id, false),
        showChat: () => around.attention.showChat(chat),
      };
      if (!isWanted && showsItself(question, arrival)) around.attention.questionCame(chat, question.request.id, true);
      const answer = await presentQuestion(question, { editors: around.editors, approvals }, arrival, signal);
      if (answer !== undefined) answeredAt = Date.now();
      return answer;
    },
    editedOf: (requestId) => around.proposals.editedOf(requestId),
    questionsChanged: () => around.changed(chat),
    tell: createTeller({
      isVisible,
      describe: (title) => around.describe(chat, title),
      setText: (text) => putText(chat, text, around),
    }),
    giveBack: (message, images = []) => {
      const { text, contexts } = takeApart(message, randomUUID());
      addToDraft(chat, { text, attachments: [...images, ...contexts] }, around);
    },
    cost: {
      limitUsd: () => readSetting("costLimit"),
      // Who looks at the chat is asked there.
      passed: (limit) => {
        if (around.attention.userIsNeeded(chat)) void askAboutCost(chat, limit);
      },
    },
    session: {
      known: ({ key, file, before }) => {
        drafts.move(before, key);
        if (!chat.session.isTemporary) sessions.remember(key, file, folder);
        if (key !== before) for (const page of around.pagesOf(chat)) page.redraw();
      },
      setRunning: (isRunning) => {
        if (!chat.session.isTemporary) sessions.setRunning(chat.session.key, isRunning);
      },
      wasRunning: () => sessions.wasRunning(chat.session.key),
    },
    log,
  });
  chat.events.listen({ event: (event) => around.told(chat, event) });
  followRuns(chat, around.attention);
  const endCalls = () => {
    around.changes
      .endSession(chat.session.key)
      .catch((error: unknown) => log.warn(`Changes were not recorded: ${errorMessage(error)}`));
  };
  chat.events.listen({
    event: ({ type }) => {
      if (type === "agent_start") around.changes.warmUp(folder);
      if (type === "agent_settled") endCalls();
    },
    disconnected: endCalls,
  });
  chat.events.listen(around.milestones.listener);
  showPanelSettings(chat);
  transcript.dispatch({ type: "host_ui", ui: { folder: folderLabel(folder), isTemporary: start.isTemporary } });
  return chat;
}

function followRuns(chat: Chat, attention: Attention): void {
  const ends = new RunEnds();
  const tell = (end: "done" | "failed" | undefined) => {
    if (end !== undefined) attention.runEnded(chat, end);
  };
  chat.events.listen({
    event: (event) => tell(ends.observe(event)),
    crashed: (willRestart) => tell(ends.crashed(willRestart)),
  });
}

/** Tells the pages of a chat the settings that they go by. */
export function showPanelSettings({ transcript }: Chat): void {
  const sendOnEnter = readSetting("sendOnEnter");
  const whileRunning = readSetting("whileRunning");
  const maxImageBytes = readSetting("maxImageBytes");
  transcript.dispatch({
    type: "host_ui",
    ui: { sendOnEnter, whileRunning, density: readSetting("density"), maxImageBytes, fonts: readChatFonts() },
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
