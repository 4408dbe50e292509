import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { Chat } from "../chat.ts";
import { runCodeAction } from "../code-actions/code-actions.ts";
import type { FileFinder } from "../code-actions/file-finder.ts";
import type { Previews } from "../code-actions/previews.ts";
import { findFile } from "../host-tools/workspace-files.ts";
import type { PlanEditor } from "../plan-editor.ts";
import type { SlashCommands } from "../slash-commands.ts";
import type { Draft } from "./draft.ts";
import type { PanelMessage, PanelProvider } from "./panel-provider.ts";
import type { ToolDocuments } from "./tool-documents.ts";

interface PanelServices {
  readonly chat: Chat;
  readonly draft: Draft;
  readonly toolDocuments: ToolDocuments;
  readonly previews: Previews;
  readonly finder: FileFinder;
  readonly plan: PlanEditor;
  readonly slashCommands: SlashCommands;
  readonly panel: PanelProvider;
  readonly log: vscode.LogOutputChannel;
}

/** Does what the user asked for in the page. */
export function handlePanelMessage(message: PanelMessage, services: PanelServices): void {
  const { chat, draft, toolDocuments, log } = services;
  const report = (work: Promise<unknown> | Thenable<unknown>) => {
    work.then(undefined, (error: unknown) => {
      log.error(`panel: ${message.type} failed: ${errorMessage(error)}`);
      void vscode.window.showErrorMessage(errorMessage(error));
    });
  };
  switch (message.type) {
    case "send":
      draft.set("");
      report(chat.send(message.text, message.whileRunning));
      break;
    case "stop":
      report(chat.stop());
      break;
    case "clearQueue":
      report(chat.clearQueue());
      break;
    case "draft":
      draft.set(message.text);
      break;
    case "listCommands":
      report(sendCommands(services));
      break;
    case "editPlan":
      report(services.plan.edit(message.edit));
      break;
    case "answer":
      chat.questions.answer(message.requestId, message.answer);
      break;
    case "openLink":
      report(openLink(message.href));
      break;
    case "openFile":
      report(openFile(message.path, message.line));
      break;
    case "openTool":
      report(toolDocuments.open(message.id));
      break;
    case "codeAction":
      report(runCodeAction(message, services));
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

/** A list that cannot be had is an empty one: nobody has asked for more than to type. */
async function sendCommands({ slashCommands, panel, log }: PanelServices): Promise<void> {
  const commands = await slashCommands.list().catch((error: unknown) => {
    log.warn(`The slash commands could not be read: ${errorMessage(error)}`);
    return [];
  });
  panel.post({ type: "commands", commands });
}

/** Only web and mail addresses leave the editor: a link is the model's word. */
async function openLink(href: string): Promise<void> {
  const uri = vscode.Uri.parse(href);
  if (!["http", "https", "mailto"].includes(uri.scheme))
    throw new Error(`Links of the kind "${uri.scheme}:" are not opened.`);
  await vscode.env.openExternal(uri);
}

async function openFile(path: string, line: number | undefined): Promise<void> {
  const uri = await findFile(path);
  const start = new vscode.Position((line ?? 1) - 1, 0);
  const options = line === undefined ? {} : { selection: new vscode.Range(start, start) };
  await vscode.commands.executeCommand("vscode.open", uri, options);
}
