import * as vscode from "vscode";
import * as z from "zod";
import { t } from "../../../webview/l10n.ts";
import type { ToPanel } from "../../../webview/protocol/to-panel.ts";
import type { Chat } from "../../chat/chat.ts";
import { forkAt } from "../../chat/fork-chat.ts";
import type { Chats } from "../../window/chats.ts";
import { exportSession } from "./export-session.ts";
import { keepChat, mayDrop } from "./keep-chat.ts";
import { showTree } from "./tree-picker.ts";

/** The argument that the page passes from a context menu. */
const Place = z.object({ itemId: z.string() });
/** A line of the sessions view for a temporary chat. */
const TemporaryLine = z.object({ kind: z.literal("temporary"), key: z.string() });

/** Returns the commands for forking, branching and keeping a conversation, by id. */
export function branchCommands(chats: Chats): Record<string, (argument: unknown) => unknown> {
  /** Returns the chat of a line of the sessions view, or else the focused one. */
  const chatAt = (argument: unknown) => {
    const key = TemporaryLine.safeParse(argument).data?.key;
    return chats.hub.chats.find(({ session }) => session.key === key) ?? chats.focused;
  };
  return {
    "tiller.showTree": () => showTree(chats.focused),
    "tiller.forkHere": (place) => onItem(chats, place, (chat, itemId) => forkAt(chat, itemId)),
    "tiller.editMessage": (place) => onItem(chats, place, (chat, id) => post(chats, chat, { type: "editPrompt", id })),
    "tiller.copyText": (place) => onItem(chats, place, (chat, id) => post(chats, chat, { type: "copyItem", id })),
    "tiller.exportThisSession": () => exportSession(chats.focused, chats.titleOf(chats.focused), chats.hub),
    "tiller.keepSession": (argument) => {
      const chat = chatAt(argument);
      if (!chat.session.isTemporary) throw new Error(t("This chat is already saved."));
      return keepChat(chat);
    },
    "tiller.discardChat": async (argument) => {
      const chat = chatAt(argument);
      if (!chat.session.isTemporary) throw new Error(t("This chat is saved. To delete it, use the Sessions view."));
      if (!(await mayDrop(chat))) return;
      if (chat.session.isTemporary) await chats.close(chat);
    },
  };
}

/** Acts on the item whose context menu was opened; without one, tells the user where to open it. */
export async function onItem(
  chats: Chats,
  place: unknown,
  act: (chat: Chat, itemId: string) => Promise<void> | void,
): Promise<void> {
  const id = Place.safeParse(place).data?.itemId;
  const chat = chats.hub.chats.find(({ transcript }) => id !== undefined && transcript.item(id) !== undefined);
  if (chat === undefined || id === undefined) {
    void vscode.window.showInformationMessage(t("To use this command, right-click a message in the chat."));
    return;
  }
  await act(chat, id);
}

/** Posts to the visible page only: the others would do it a second time. */
function post(chats: Chats, chat: Chat, message: ToPanel): void {
  const pages = chats.pagesOf(chat);
  (pages.find(({ isVisible }) => isVisible) ?? pages[0])?.post(message);
}
