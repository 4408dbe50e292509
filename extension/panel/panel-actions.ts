import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import { toolsOf } from "../chats/chat-tools.ts";
import type { Chats } from "../chats/chats.ts";
import { runCodeAction } from "../code-actions/code-actions.ts";
import type { FileFinder } from "../code-actions/file-finder.ts";
import type { Previews } from "../code-actions/previews.ts";
import type { Mentions } from "../composer/mentions.ts";
import type { PromptHistory } from "../composer/prompt-history.ts";
import { resendMessage, sendMessage } from "../composer/send-message.ts";
import type { Suggestions } from "../composer/suggestions.ts";
import type { EditorQuestions } from "../editor-questions.ts";
import { findByAddress } from "../host-tools/open-file.ts";
import { compactNow, readContext } from "../models/context-window.ts";
import { forkAt } from "../sessions/fork-chat.ts";
import type { ChatPage, PanelMessage } from "./chat-page.ts";
import { sendEarlier } from "./send-earlier.ts";
import type { ToolDocuments } from "./tool-documents.ts";

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

/** Does what the user asked for in a page. */
export function handlePanelMessage(message: PanelMessage, page: ChatPage, services: PanelServices): void {
  const { chats, toolDocuments, log } = services;
  const { chat } = page;
  const report = (work: Promise<unknown> | Thenable<unknown>) => {
    work.then(undefined, (error: unknown) => {
      log.error(`panel: ${message.type} failed: ${errorMessage(error)}`);
      void vscode.window.showErrorMessage(errorMessage(error));
    });
  };
  switch (message.type) {
    case "send":
      if (message.editOf !== undefined) {
        report(resendMessage(chat, message, message.editOf, services.mentions));
        break;
      }
      chats.draftSent(page);
      services.promptHistory.add(message.text, message.contexts);
      report(sendMessage(chat, message, services.mentions));
      break;
    case "stopShell":
      report(chat.shell.stop());
      break;
    case "stop":
      report(chat.stop());
      break;
    case "stopActivity":
      report(chat.request(message.activity === "retry" ? "abort_retry" : "abort", {}));
      break;
    case "clearQueue":
      report(chat.clearQueue());
      break;
    case "editQueue":
      report(chat.outbox.editQueue(message.edit));
      break;
    case "draft":
      chats.draftTyped(page, message);
      break;
    case "attachments":
      chats.attachmentsChanged(page, message.chat, message.attachments);
      break;
    case "readEarlier":
      report(sendEarlier(message, page));
      break;
    case "readContext":
      report(readContext(chat).then((parts) => page.post({ type: "contextParts", parts })));
      break;
    case "compact":
      report(compactNow(chat, message.instructions));
      break;
    case "listCommands":
      report(sendCommands(page, log));
      break;
    case "listMentions":
      report(services.mentions.list(message, page));
      break;
    case "takeContext":
      report(services.mentions.take(message.word, page));
      break;
    case "previewContext":
      report(services.mentions.preview(message, page));
      break;
    case "suggestion":
      services.suggestions.answer(message.action, chat);
      break;
    case "dropUris":
      report(services.mentions.drop(message, page));
      break;
    case "editInEditor":
      report(editInEditor(message.text, page, services));
      break;
    case "fork":
      report(forkAt(chat, message.id));
      break;
    case "listHistory":
      page.post({ type: "history", entries: [...services.promptHistory.entries] });
      break;
    case "editPlan":
      report(toolsOf(chat).plan.edit(message.edit));
      break;
    case "answer":
      chat.questions.answer(message.requestId, message.answer);
      break;
    case "openLink":
      report(openLink(message.href));
      break;
    case "openFile":
      report(openFile(message, page, services.finder));
      break;
    case "findFiles":
      report(sendFiles(message.paths, page, services.finder));
      break;
    case "openTool":
      report(toolDocuments.open(message.id));
      break;
    case "openDiff":
      report(toolDocuments.openDiff(message.id));
      break;
    case "image":
      report(toolDocuments.images[message.action](message.id, message.index));
      break;
    case "codeAction":
      report(runCodeAction(message, { ...services, folder: chat.session.folder }));
      break;
    case "copy":
      report(vscode.env.clipboard.writeText(message.text));
      break;
    case "command":
      report(vscode.commands.executeCommand(message.command));
      break;
    case "pageError":
      log.error(`panel: ${message.message}`);
      break;
  }
}

/** The document that a draft is written in; Submit puts it back into the composer, where nothing has changed until then. */
async function editInEditor(text: string, { chat }: ChatPage, { editors, chats }: PanelServices): Promise<void> {
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

/** A list that cannot be had is an empty one: nobody has asked for more than to type. */
async function sendCommands(page: ChatPage, log: vscode.LogOutputChannel): Promise<void> {
  const commands = await toolsOf(page.chat)
    .slashCommands.list()
    .catch((error: unknown) => {
      log.warn(`The slash commands could not be read: ${errorMessage(error)}`);
      return [];
    });
  page.post({ type: "commands", commands });
}

/** Only web and mail addresses leave the editor: a link is the model's word. */
async function openLink(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href);
  if (!["http", "https", "mailto"].includes(uri.scheme))
    throw new Error(t('Links of the kind "{0}:" are not opened.', uri.scheme));
  await vscode.env.openExternal(uri);
}

async function openFile(
  place: Extract<PanelMessage, { type: "openFile" }>,
  page: ChatPage,
  finder: FileFinder,
): Promise<void> {
  const uri = (await finder.find(place.path, page.chat.session.folder)) ?? (await findByAddress(place.path));
  if (uri === undefined) throw new Error(t("There is no file {0} here, or more than one that ends so.", place.path));
  const start = new vscode.Position((place.line ?? 1) - 1, (place.column ?? 1) - 1);
  const options = place.line === undefined ? {} : { selection: new vscode.Range(start, start) };
  await vscode.commands.executeCommand("vscode.open", uri, options);
}

async function sendFiles(paths: readonly string[], page: ChatPage, finder: FileFinder): Promise<void> {
  const found = await finder.findAll(paths, page.chat.session.folder);
  const files = paths.map((path) => {
    const uri = found.get(path);
    return { path, target: uri === undefined ? null : vscode.workspace.asRelativePath(uri) };
  });
  page.post({ type: "files", files });
}
