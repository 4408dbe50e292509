import { type Attachment, MAX_ATTACHMENTS } from "../../webview/protocol/draft.ts";
import type { Chat } from "../chat/chat.ts";
import type { ChatPage } from "./chat-page.ts";
import type { Drafts } from "./draft.ts";

/** The drafts, and the pages that show them. */
export interface DraftPlaces {
  readonly drafts: Drafts;
  pagesOf(chat: Chat): readonly ChatPage[];
}

/** Appends text on a line of its own to the composers of a chat, and adds attachments. */
export function addToDraft(
  chat: Chat,
  { text, attachments }: { readonly text: string; readonly attachments: readonly Attachment[] },
  { drafts, pagesOf }: DraftPlaces,
): void {
  const { key } = chat.session;
  if (text !== "") drafts.append(key, text);
  if (attachments.length > 0) {
    const all = [...(drafts.of(key).attachments ?? []), ...attachments].slice(-2 * MAX_ATTACHMENTS);
    drafts.setAttachments(key, all);
    for (const page of pagesOf(chat))
      page.post({ type: "setDraft", text: "", mode: "append", attachments: [...attachments] });
  }
  if (text === "") return;
  // It may hold what the host hasn't been told of yet; other pages get the whole draft.
  const [page, ...others] = pagesOf(chat);
  page?.post({ type: "setDraft", text, mode: "append" });
  const whole = drafts.of(key).text;
  for (const other of others) other.post({ type: "setDraft", text: whole, mode: "replace" });
}
