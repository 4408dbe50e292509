import * as vscode from "vscode";
import { errorMessage } from "../agent/protocol/errors.ts";
import type { ApiKey } from "./api-key.ts";
import type { Chat } from "./chat.ts";
import type { EditorQuestions } from "./editor-questions.ts";
import { pickModel, pickThinkingLevel } from "./pickers.ts";
import { applySessionDefaults } from "./session-defaults.ts";
import { readSetting } from "./settings.ts";

interface CommandServices {
  readonly chat: Chat;
  readonly apiKey: ApiKey;
  readonly editors: EditorQuestions;
  readonly log: vscode.LogOutputChannel;
  readonly focusChat: () => Promise<void>;
}

/** Registers the commands of the extension; failures are shown to the user. */
export function registerCommands({ chat, apiKey, editors, log, focusChat }: CommandServices): vscode.Disposable[] {
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
    "tiller.setApiKey": () => apiKey.ask(),
    "tiller.removeApiKey": () => apiKey.remove(),
    "tiller.restartAgent": () => chat.restart(),
    "tiller.showLog": () => log.show(true),
    "tiller.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:tiller-dev.tiller"),
    "tiller.manageTrust": () => vscode.commands.executeCommand("workbench.trust.manage"),
    "tiller.openFolder": () => vscode.commands.executeCommand("workbench.action.files.openFolder"),
    "tiller.answerQuestion": () => answerQuestion(chat),
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
