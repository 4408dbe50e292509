import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import { compactNow } from "../chat/context-window.ts";
import { type OwnCommand, type OwnCommandName, ownCommands } from "../chat/own-commands.ts";
import type { ChatPage } from "../window/chat-page.ts";
import type { Chats } from "../window/chats.ts";

/** The commands of the editor that stand behind commands of the chat. */
const COMMANDS: Partial<Record<OwnCommandName, string>> = {
  model: "tiller.pickModel",
  mode: "tiller.pickPermissionMode",
  export: "tiller.exportThisSession",
  fork: "tiller.forkFromPrompt",
  rewind: "tiller.rewind",
  approvals: "tiller.manageApprovalRules",
};

/** Runs a command that the user typed into a page. Rejects with a text for people when it is impossible. */
export async function runOwnCommand({ name, rest }: OwnCommand, page: ChatPage, chats: Chats): Promise<void> {
  const command = COMMANDS[name];
  if (command !== undefined) await vscode.commands.executeCommand(command);
  else if (name === "new" || name === "clear") await chats.startNewIn(page);
  else if (name === "compact") await compactNow(page.chat, rest);
  else page.chat.transcript.dispatch({ type: "host_notice", level: "info", text: helpText() });
}

function helpText(): string {
  const commands = ownCommands().map(({ name, argumentHint, description }) => {
    const usage = ["/", name, argumentHint && ` ${argumentHint}`].join("");
    return `${usage}: ${description}`;
  });
  const prefixes = [
    t("@: files, folders, and editor content"),
    t("!: a shell command of your own"),
    t("/: commands, templates, skills, and extensions"),
  ];
  return [t("You can type:"), ...prefixes, "", ...commands].join("\n");
}
