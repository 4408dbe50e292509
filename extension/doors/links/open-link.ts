import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { addToComposer } from "../../features/composer/add-to-composer.ts";
import type { Mentions } from "../../features/composer/mentions.ts";
import type { SessionHistory } from "../../features/sessions/session-history.ts";
import type { Chats } from "../../window/chats.ts";
import { readLink } from "./link.ts";

/** Maximum number of history pages searched for a session, and length of each. */
const MAX_PAGES = 20;
const PAGE_SIZE = 200;

interface LinkServices {
  readonly chats: Chats;
  readonly history: SessionHistory;
  readonly mentions: Mentions;
}

/** Performs the action of a link: fills the composer, or shows a session of this workspace. Nothing is ever sent. */
export async function openLink(uri: vscode.Uri, services: LinkServices): Promise<void> {
  const { chats } = services;
  const target = readLink(uri, vscode.env.uiKind === vscode.UIKind.Web);
  switch (target.kind) {
    case "prompt": {
      const { focused } = chats;
      await addToComposer(focused, { text: target.text }, services);
      await chats.reveal(focused);
      return;
    }
    case "session": {
      const chat = chats.find(target.id) ?? (await findInHistory(target.id, services));
      if (chat !== undefined) return chats.showAtSide(chat);
      void vscode.window.showInformationMessage(t("Couldn't find session {0} in this workspace.", target.id));
      return;
    }
    case "refused":
      void vscode.window.showInformationMessage(target.reason);
  }
}

async function findInHistory(
  id: string,
  { chats, history }: Omit<LinkServices, "mentions">,
): Promise<Chat | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const found = await history.list({ cursor, limit: PAGE_SIZE });
    const row = found?.rows.find(({ summary }) => summary.id === id);
    if (row !== undefined) return chats.hub.open({ key: row.summary.id, file: row.summary.path });
    cursor = found?.nextCursor;
    if (cursor === undefined) return undefined;
  }
  return undefined;
}
