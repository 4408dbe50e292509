import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import type { Prompt } from "../../webview/protocol/draft.ts";
import type { PanelCommand } from "../../webview/protocol/ui.ts";
import type { Chat } from "../chat/chat.ts";
import { compactNow, readContext } from "../chat/context-window.ts";
import { forkAt } from "../chat/fork-chat.ts";
import { readOwnCommand, withOwnCommands } from "../chat/own-commands.ts";
import { resendEdited } from "../chat/resend.ts";
import { sendEarlier } from "../chat/send-earlier.ts";
import { openAddress } from "../editor/open-address.ts";
import { runCodeAction } from "../features/code-blocks/code-actions.ts";
import type { FileFinder } from "../features/code-blocks/file-finder.ts";
import type { Previews } from "../features/code-blocks/previews.ts";
import type { Mentions } from "../features/composer/mentions.ts";
import type { PromptHistory } from "../features/composer/prompt-history.ts";
import type { Suggestions } from "../features/composer/suggestions.ts";
import type { ToolDocuments } from "../features/tool-cards/tool-documents.ts";
import { findByAddress } from "../host/host-tools/open-file.ts";
import { showQuestion } from "../host/questions/dialogs.ts";
import type { EditorQuestions } from "../host/questions/editor-questions.ts";
import type { ChatPage, PanelMessage } from "../window/chat-page.ts";
import type { Chats } from "../window/chats.ts";
import { runOwnCommand } from "./own-commands.ts";

/** The agent has this command if MCP servers are configured. */
const MCP_COMMAND = "mcp";

interface PanelServices {
  readonly chats: Chats;
  readonly toolDocuments: ToolDocuments;
  readonly previews: Previews;
  readonly finder: FileFinder;
  readonly promptHistory: PromptHistory;
  readonly editors: EditorQuestions;
  readonly mentions: Mentions;
  readonly suggestions: Suggestions;
  readonly log: vscode.LogOutputChannel;
}

type MessageType = PanelMessage["type"];
type MessageOf<Type extends MessageType> = Extract<PanelMessage, { type: Type }>;

/** The page that sent a message, and the parts that can act on it. */
interface Scene extends PanelServices {
  readonly page: ChatPage;
  readonly chat: Chat;
}

/** An action for a message; a returned promise is awaited. */
type Action<Type extends MessageType> = (message: MessageOf<Type>, scene: Scene) => unknown;

/** The action for each message of a page. */
const actions: { readonly [Type in MessageType]: Action<Type> } = {
  prompt,
  draft: (message, { chats, page }) => chats.draftTyped(page, message),
  attachments: ({ chat, attachments }, { chats, page }) => chats.attachmentsChanged(page, chat, attachments),
  editInEditor,
  listHistory: (_, { page, promptHistory }) => page.post({ type: "history", entries: [...promptHistory.entries] }),
  listCommands: sendCommands,
  listMentions: (message, { mentions, page }) => mentions.list(message, page),
  takeContext: ({ word, mark }, { mentions, page }) => mentions.take(word, mark, page),
  previewContext: (message, { mentions, page }) => mentions.preview(message, page),
  suggestion: ({ action }, { suggestions, chat }) => suggestions.answer(action, chat),
  dropUris: (message, { mentions, page }) => mentions.drop(message, page),

  stop: (_, { chat }) => chat.stop(),
  stopShell: (_, { chat }) => chat.shell.stop(),
  stopActivity: ({ activity }, { chat }) => chat.request(activity === "retry" ? "abort_retry" : "abort", {}),
  stopBackground: (_, { chat }) => chat.request("stop_background", {}),
  clearQueue: (_, { chat }) => chat.outbox.clearQueue(),
  editQueue: ({ edit }, { chat }) => chat.outbox.editQueue(edit),
  editPlan: ({ edit }, { chat }) => chat.plan.edit(edit),
  answer: ({ requestId, answer }, { chat }) => chat.questions.answer(requestId, answer),
  showQuestion: ({ requestId }, { chat, editors }) => showQuestion(chat.questions, requestId, editors),
  compact: ({ instructions }, { chat }) => compactNow(chat, instructions),
  readContext: async (_, { chat, page }) => page.post({ type: "contextParts", parts: await readContext(chat) }),

  readEarlier: (message, { page }) => sendEarlier(message, page),
  fork: ({ id }, { chat }) => forkAt(chat, id),
  rewind: ({ id }) => vscode.commands.executeCommand("tiller.rewind", { itemId: id }),
  openLink: ({ href }) => openAddress(href),
  openFile,
  findFiles: sendFiles,
  openTool: ({ id }, { toolDocuments }) => toolDocuments.open(id),
  openDiff: ({ id }, { toolDocuments }) => toolDocuments.openDiff(id),
  image: ({ action, id, index }, { toolDocuments }) => toolDocuments.images[action](id, index),
  codeAction: (message, scene) => runCodeAction(message, { ...scene, folder: scene.chat.session.folder }),
  copy: ({ text }) => vscode.env.clipboard.writeText(text),
  command: ({ command, subject }) =>
    vscode.commands.executeCommand(command, ...(subject === undefined ? [] : [subject])),
  pageError: ({ message }, { log }) => log.error(`panel: ${message}`),
};

/** Runs the action of a message from a page. Failures are logged, and shown to the user. */
export function handlePanelMessage(message: PanelMessage, page: ChatPage, services: PanelServices): void {
  const { type } = message;
  act(type, message, { ...services, page, chat: page.chat }).catch((error: unknown) => {
    services.log.error(`panel: ${type} failed: ${errorMessage(error)}`);
    void vscode.window.showErrorMessage(errorMessage(error));
  });
}

async function act<Type extends MessageType>(type: Type, message: MessageOf<Type>, scene: Scene): Promise<void> {
  await actions[type](message, scene);
}

async function prompt(message: MessageOf<"prompt">, { page, chat, chats, promptHistory }: Scene): Promise<void> {
  if (message.editOf !== undefined) return resend(chat, message.editOf, message);
  promptHistory.add(message.text, message.contexts);
  const own = readOwnCommand(message.text);
  if (own === undefined) return chat.prompt(message);
  try {
    await runOwnCommand(own, page, chats);
  } finally {
    // They were meant for a message. Those with a mark belong to the text of the command.
    const attachments = [...(message.images ?? []), ...(message.contexts ?? []).filter(({ mark }) => mark === "")];
    if (attachments.length > 0) chats.addToDraft(page.chat, "", attachments);
  }
}

/** Returns a message that can't be sent to the composer. */
async function resend(chat: Chat, itemId: string, prompt: Prompt): Promise<void> {
  const whole = await chat.outbox.compose(prompt);
  try {
    await resendEdited(chat, itemId, whole);
  } catch (error) {
    chat.outbox.giveBack(whole.text, whole.images ?? []);
    throw error;
  }
}

/** Opens a document to edit the draft; Submit puts it back into the composer, which does not change before. */
async function editInEditor({ text }: MessageOf<"editInEditor">, { chat, editors, chats }: Scene): Promise<void> {
  const request = {
    type: "extension_ui_request",
    id: `draft ${chat.session.key}`,
    method: "editor",
    title: t("Message to Tiller"),
    prefill: text,
  } as const;
  const answer = await editors.ask(request, new AbortController().signal);
  if (answer?.type === "value") chats.setDraft(chat, answer.value);
}

/** Sends the slash commands, and sends them again with those of MCP servers, which start when the user looks for commands. */
async function sendCommands(_: unknown, { page, chat, log }: Scene): Promise<void> {
  const commands = await readCommands(chat, log);
  page.post({ type: "commands", commands: withOwnCommands(commands) });
  if (!commands.some(({ name }) => name === MCP_COMMAND)) return;
  await chat.request("find_mcp_resources", { query: "" }).catch(() => undefined); // another agent may not know it
  chat.slashCommands.refresh();
  page.post({ type: "commands", commands: withOwnCommands(await readCommands(chat, log)) });
}

/** Returns an empty list when the commands are unavailable, since the user only wants to type. */
function readCommands(chat: Chat, log: Scene["log"]): Promise<PanelCommand[]> {
  return chat.slashCommands.list().catch((error: unknown) => {
    log.warn(`The slash commands could not be read: ${errorMessage(error)}`);
    return [];
  });
}

async function openFile(place: MessageOf<"openFile">, { chat, finder }: Scene): Promise<void> {
  const uri = (await finder.find(place.path, chat.session.folder)) ?? (await findByAddress(place.path));
  if (uri === undefined) throw new Error(t("Can't find exactly one file that matches {0}.", place.path));
  const start = new vscode.Position((place.line ?? 1) - 1, (place.column ?? 1) - 1);
  const options = place.line === undefined ? {} : { selection: new vscode.Range(start, start) };
  await vscode.commands.executeCommand("vscode.open", uri, options);
}

async function sendFiles({ paths }: MessageOf<"findFiles">, { page, chat, finder }: Scene): Promise<void> {
  const found = await finder.findAll(paths, chat.session.folder);
  const files = paths.map((path) => {
    const uri = found.get(path);
    return { path, target: uri === undefined ? null : vscode.workspace.asRelativePath(uri) };
  });
  page.post({ type: "files", files });
}
