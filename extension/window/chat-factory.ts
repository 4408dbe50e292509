import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { draftOfSent } from "../../webview/protocol/draft.ts";
import { Chat } from "../chat/chat.ts";
import type { ChatPorts } from "../chat/chat-ports.ts";
import type { ChatStart } from "../chat/chat-session.ts";
import { SessionMode } from "../chat/session-mode.ts";
import { TranscriptStore } from "../chat/transcript-store.ts";
import { keepSecret } from "../core/keys/agent-secrets.ts";
import { takeApart } from "../core/mentions/sent-chips.ts";
import { readChatFonts } from "../editor/chat-fonts.ts";
import { openAddress } from "../editor/open-address.ts";
import { readSetting } from "../editor/settings.ts";
import { HostToolRunner } from "../host/host-tools/registry.ts";
import type { ChatSurroundings } from "./chat-surroundings.ts";
import { askAboutCost } from "./cost-limit.ts";
import { folderLabel, startFolder } from "./folders.ts";
import { followChat } from "./follow-chat.ts";
import { addToDraft } from "./give-back.ts";
import { agentCommand, blockedBy } from "./launch.ts";
import { QuestionPresenter } from "./question-presenter.ts";
import { createTeller } from "./tell-user.ts";
import { traceLimits } from "./trace-limits.ts";

const NO_TOOLS: ChatPorts["hostTools"] = {
  definitions: [],
  ownDefinitions: [],
  call: async () => {},
  cancel: () => {},
  cancelAll: () => {},
};

/** Creates a chat with all its services of the editor. Its agent is started when it is first needed. */
export function createChat(start: ChatStart, around: ChatSurroundings): Chat {
  const { context, sessions, log } = around;
  const { isQuiet = false } = start;
  const mode = new SessionMode(() => (isQuiet ? "readonly" : readSetting("permissionMode")));
  const presenter = new QuestionPresenter(around);
  const folder = startFolder(start.folder ?? sessions.folder(start.key), context.workspaceState);
  const transcript = new TranscriptStore({
    cwd: folder,
    uiChanged(ui) {
      around.milestones.shown(ui);
      around.changed(chat);
    },
  });
  transcript.trace.configure(traceLimits());
  const chat: Chat = new Chat({ ...start, folder }, transcript, {
    launch: async () => {
      around.editorModels.watch();
      if (!isQuiet) await Promise.all([around.makeRoom(chat), around.hostTools.look()]);
      return agentCommand(context, { permissionMode: mode.current, session: chat.session, hasTools: !isQuiet });
    },
    blockedBy,
    mode,
    hostModels: around.editorModels.port(),
    keepSecret: (request, send) => keepSecret(context.secrets, request, send),
    hostTools: isQuiet ? NO_TOOLS : createToolRunner(() => chat, folder, around),
    present: (question, signal, isWanted) => presenter.present(chat, question, signal, isWanted),
    editedOf: (requestId) => around.proposals.editedOf(requestId),
    questionsChanged: () => around.changed(chat),
    tell: createTeller({
      isVisible: () => around.pagesOf(chat).some((page) => page.isVisible),
      describe: (title) => around.describe(chat, title),
      setText: (text) => putText(chat, text, around),
      open: (url) => openAddress(url).catch((error: unknown) => vscode.window.showErrorMessage(errorMessage(error))),
    }),
    compose: (text, contexts) => around.compose(text, contexts, chat),
    giveBack: (message, images = []) => {
      const { text, contexts } = takeApart(message, randomUUID());
      addToDraft(chat, { text, attachments: [...images, ...contexts.map(draftOfSent)] }, around);
    },
    cost: {
      limitUsd: () => readSetting("costLimit"),
      // A user who looks at the chat is asked there.
      passed: (limit) => {
        if (around.attention.userIsNeeded(chat)) void askAboutCost(chat, limit);
      },
    },
    session: {
      known: ({ key, file, before }) => {
        around.drafts.move(before, key);
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
  if (!isQuiet) followChat(chat, around);
  showPanelSettings(chat);
  transcript.dispatch({ type: "host_ui", ui: { folder: folderLabel(folder), isTemporary: start.isTemporary } });
  return chat;
}

/** @param chat is called only when a tool is: the runner is created before the chat. */
function createToolRunner(chat: () => Chat, folder: string, around: ChatSurroundings): HostToolRunner {
  return new HostToolRunner({
    hostTools: around.hostTools,
    changes: around.changes,
    chat: {
      folder,
      get session() {
        return chat().session.key;
      },
      isKeyboardInChat: () => around.keyboard.page !== undefined,
      ask: (question, signal) => chat().asked.host.ask(question, signal),
    },
    failed: (toolName, error) => around.log.error(`${toolName} failed: ${errorMessage(error)}`),
  });
}

/** Sends the pages of a chat the settings that they use. */
export function showPanelSettings({ transcript }: Chat): void {
  const sendOnEnter = readSetting("sendOnEnter");
  const whileRunning = readSetting("whileRunning");
  const maxImageBytes = readSetting("maxImageBytes");
  transcript.dispatch({
    type: "host_ui",
    ui: { sendOnEnter, whileRunning, density: readSetting("density"), maxImageBytes, fonts: readChatFonts() },
  });
}

/** Replaces the text in the composers of a chat. */
export function putText(
  chat: Chat,
  text: string,
  { drafts, pagesOf }: Pick<ChatSurroundings, "drafts" | "pagesOf">,
): void {
  drafts.set(chat.session.key, text);
  for (const page of pagesOf(chat)) page.post({ type: "setDraft", text, mode: "replace" });
}
