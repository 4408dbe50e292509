import * as vscode from "vscode";
import { errorMessage } from "../agent/protocol/errors.ts";
import type { ApiKey } from "./api-key.ts";
import { manageApprovalRules } from "./approval-rules.ts";
import type { Chat } from "./chat.ts";
import type { Previews } from "./code-actions/previews.ts";
import type { EditorQuestions } from "./editor-questions.ts";
import { pickModel, pickPermissionMode, pickThinkingLevel } from "./pickers.ts";
import type { PlanEditor } from "./plan-editor.ts";
import { applySessionDefaults } from "./session-defaults.ts";
import type { SessionMode } from "./session-mode.ts";
import { readSetting } from "./settings.ts";

interface CommandServices {
  readonly chat: Chat;
  readonly mode: SessionMode;
  readonly previews: Previews;
  readonly plan: PlanEditor;
  readonly apiKey: ApiKey;
  readonly editors: EditorQuestions;
  readonly log: vscode.LogOutputChannel;
  readonly focusChat: () => Promise<void>;
}

/** Registers the commands of the extension; failures are shown to the user. */
export function registerCommands(services: CommandServices): vscode.Disposable[] {
  const { chat, mode, previews, plan, apiKey, editors, log, focusChat } = services;
  const commands: Record<string, (argument: unknown) => unknown> = {
    "tiller.newSession": async () => {
      await chat.newSession();
      await focusChat();
      if (chat.agent.client === undefined) return;
      await applySessionDefaults(chat, { model: readSetting("model"), thinkingLevel: readSetting("thinkingLevel") });
    },
    "tiller.stop": () => chat.stop(),
    "tiller.focusChat": focusChat,
    "tiller.pickModel": () => pickModel(chat),
    "tiller.pickThinkingLevel": () => pickThinkingLevel(chat),
    "tiller.pickPermissionMode": () => pickPermissionMode(chat, mode),
    "tiller.manageApprovalRules": () => manageApprovalRules(chat),
    "tiller.addTask": () => addTask(plan),
    "tiller.setApiKey": () => apiKey.ask(),
    "tiller.removeApiKey": () => apiKey.remove(),
    "tiller.restartAgent": () => chat.restart(),
    "tiller.showLog": () => log.show(true),
    "tiller.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:tiller-dev.tiller"),
    "tiller.manageTrust": () => vscode.commands.executeCommand("workbench.trust.manage"),
    "tiller.openFolder": () => vscode.commands.executeCommand("workbench.action.files.openFolder"),
    "tiller.answerQuestion": () => answerQuestion(chat),
    "tiller.applyPreview": (uri) => previews.apply(uri instanceof vscode.Uri ? uri : undefined),
    "tiller.submitEditor": (uri) => editors.submit(uri instanceof vscode.Uri ? uri : undefined),
    "tiller.cancelEditor": (uri) => editors.cancel(uri instanceof vscode.Uri ? uri : undefined),
  };
  return Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (argument: unknown) => {
      try {
        await run(argument);
      } catch (error) {
        log.error(`${id} failed: ${errorMessage(error)}`);
        void vscode.window.showErrorMessage(errorMessage(error));
      }
    }),
  );
}

async function addTask(plan: PlanEditor): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: "Add a Task to the Plan",
    prompt: "The agent sees it with its plan and goes on with it.",
  });
  if (text !== undefined && text.trim() !== "") await plan.edit({ op: "add", text: text.trim() });
}

/** Shows the one pending question, or lets the user choose among several. */
async function answerQuestion({ questions }: Chat): Promise<void> {
  const { pending } = questions;
  if (pending.length > 1) {
    const items = pending.map(({ request }) => ({ label: request.title, description: request.method, id: request.id }));
    const chosen = await vscode.window.showQuickPick(items, { title: "Which question?" });
    if (chosen !== undefined) questions.show(chosen.id);
    return;
  }
  if (!questions.show()) void vscode.window.showInformationMessage("The agent waits for no answer.");
}
