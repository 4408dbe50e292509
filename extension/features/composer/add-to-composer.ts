import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ContextAttachment, ContextBlock, ContextSource } from "../../../webview/protocol/context.ts";
import type { Chat } from "../../chat/chat.ts";
import { formatMention, type LineRange } from "../../core/mentions/mention-text.ts";
import { chipOf } from "../../core/mentions/sent-chips.ts";
import type { Chats } from "../../window/chats.ts";
import type { Mentions } from "./mentions.ts";
import { nameOf } from "./places.ts";

/** An addition of a menu or command to the composer of a chat. Every part may be absent. */
export interface ComposerAddition {
  /** Text, on a line of its own. */
  readonly text?: string;
  /** Files and folders as `@path`, which the agent reads itself. */
  readonly files?: readonly { readonly uri: vscode.Uri; readonly isFolder?: boolean; readonly lines?: LineRange }[];
  /** Chips whose content is read when the message is sent. */
  readonly contexts?: readonly Exclude<ContextSource, { kind: "sent" }>[];
  /** Chips that hold their content already. */
  readonly blocks?: readonly ContextBlock[];
}

/**
 * Adds to the composer of a chat, whether or not a page shows it. Sends nothing to the agent, and does not move the keyboard focus.
 * @throws an error for people when none of the contexts is available; everything else has been added by then.
 */
export async function addToComposer(
  chat: Chat,
  { text = "", files = [], contexts = [], blocks = [] }: ComposerAddition,
  { chats, mentions }: { readonly chats: Chats; readonly mentions: Mentions },
): Promise<void> {
  const names = files.map(({ uri, isFolder, lines }) =>
    formatMention({ kind: "path", path: isFolder ? `${nameOf(uri)}/` : nameOf(uri), ...(lines && { lines }) }),
  );
  const attachments: ContextAttachment[] = blocks.map((block) => ({
    ...chipOf(block, { id: randomUUID(), source: { kind: "sent" }, mark: "" }),
    fixed: block,
  }));
  const reasons: string[] = [];
  for (const source of contexts) {
    try {
      attachments.push(await mentions.chip(source, chat));
    } catch (error) {
      reasons.push(errorMessage(error));
    }
  }
  const words = [names.length === 0 ? "" : `${names.join(" ")} `, text].filter((part) => part !== "").join("\n");
  chats.addToDraft(chat, words, attachments);
  if (reasons.length > 0) throw new Error(reasons.join("\n"));
}
