import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";

/** True when a chat has content of which nothing is saved. */
function wouldBeLost(chat: Chat): boolean {
  return chat.session.isTemporary && !chat.isUntouched;
}

/** Saves a temporary chat, which then is a session like any other. Rejects when its agent has exited, which alone had it. */
export async function keepChat(chat: Chat): Promise<void> {
  const { client } = chat.agent;
  if (!chat.session.isTemporary) return;
  if (client === undefined)
    throw new Error(t("Can't save this temporary chat because its agent stopped. You can still copy its content."));
  const { sessionFile } = await client.request("keep_session", {});
  chat.session.keep(sessionFile);
  chat.transcript.dispatch({ type: "host_ui", ui: { isTemporary: false } });
}

/** Asks before the content of a temporary chat is lost. @returns true to go on; at once when nothing would be lost. */
export async function mayDrop(chat: Chat): Promise<boolean> {
  if (!wouldBeLost(chat)) return true;
  const title = chat.session.title ?? t("Temporary Chat");
  const keep = t("Save");
  const drop = t("Discard");
  const text = t('Do you want to save "{0}"? This temporary chat will be lost if you don\'t.', title);
  const answer = await vscode.window.showWarningMessage(text, { modal: true }, keep, drop);
  if (answer === keep) await keepChat(chat);
  return answer !== undefined;
}

/** Restarts the agent of a chat, unless the user decides to keep content that would be lost. */
export async function restartAgent(chat: Chat): Promise<void> {
  if (await mayDrop(chat)) await chat.restart();
}
