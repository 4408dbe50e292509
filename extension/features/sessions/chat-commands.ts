import * as vscode from "vscode";
import { splitAttached } from "../../../agent/protocol/attached.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { forkFrom } from "../../chat/fork-chat.ts";
import { continueRun, tryAgain } from "../../chat/go-on.ts";
import { moveToFile } from "../../chat/long-draft.ts";
import type { Chats } from "../../window/chats.ts";

/** Returns the commands for chats and where they are shown, by id. */
export function chatCommands(chats: Chats): Record<string, (argument: unknown) => unknown> {
  return {
    "tiller.newSession": () => chats.startNew(),
    "tiller.newTemporaryChat": () => chats.startNew(true),
    "tiller.newChatInEditor": () => chats.startNewInTab(),
    "tiller.pickFolder": () => chats.startNew(),
    "tiller.openChatInEditor": () => chats.showInTab(chats.focused),
    "tiller.openChatBeside": () => chats.showInTab(chats.focused, vscode.ViewColumn.Beside),
    "tiller.focusChat": () => chats.showAtSide(chats.side.page.chat),
    "tiller.focusEditor": () => vscode.commands.executeCommand("workbench.action.focusActiveEditorGroup"),
    "tiller.continueRun": () => continueRun(chats.focused),
    "tiller.tryAgain": () => tryAgain(chats.focused),
    "tiller.attachAsFile": () => attachAsFile(chats),
    "tiller.forkFromPrompt": (argument) =>
      typeof argument === "string" ? forkFrom(chats.focused, argument) : pickFork(chats.focused),
  };
}

/** Puts the text of the input into a file, pasted text included, and names the file in its place. */
async function attachAsFile(chats: Chats): Promise<void> {
  const chat = chats.focused;
  const { text, attachments } = chats.drafts.of(chat.session.key);
  if (text.trim() !== "") chats.setDraft(chat, await moveToFile({ text, attachments }));
}

/** Lets the user pick the message before which a new session forks. */
async function pickFork(chat: Chat): Promise<void> {
  const { messages } = await chat.request("get_fork_messages", {});
  if (messages.length === 0) {
    void vscode.window.showInformationMessage(t("There are no messages to fork from yet."));
    return;
  }
  const items = messages
    .toReversed()
    .map(({ entryId, text }) => ({ label: splitAttached(text).text.replace(/\s+/g, " "), entryId }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: t("Fork from Message"),
    placeHolder: t("Select a message to edit and continue from in a new session"),
  });
  if (chosen !== undefined) await forkFrom(chat, chosen.entryId);
}
