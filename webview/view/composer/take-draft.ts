import type { Host } from "../../host.ts";
import type { DraftCopy } from "../../protocol/draft.ts";
import type { Composer } from "./composer.ts";

/** Shows the draft of a chat. The draft in the composer stays unless the host's is newer. */
export function takeDraft(
  draft: DraftCopy,
  isFirst: boolean,
  { host, composer }: { host: Host; composer: Composer },
): void {
  const kept = host.kept().draft;
  // Somebody types while the session is given its name: what stands here is newer than what the host has.
  if (draft.was !== undefined && draft.was === kept.chat && composer.rename(draft.chat)) return;
  const isOther = kept.chat !== "" && kept.chat !== draft.chat;
  if (isOther) composer.flushDraft();
  // Somebody may have begun to type while the page loaded.
  const isTaken = isOther || (isFirst && draft.at > kept.at && !composer.isTouched());
  const { chat, text, at, place } = draft;
  // A view that was moved has lost what it kept; its caret has not moved since.
  const isPlaceTaken = isTaken || (isFirst && kept.place === undefined && text === kept.text && !composer.isTouched());
  host.keep({ draft: isTaken ? { chat, text, at, place } : { ...host.kept().draft, chat } });
  if (isTaken || isPlaceTaken) composer.takeDraft(text, place);
  // The host alone keeps these: they may be large.
  if (isOther) composer.takeAttachments(draft.attachments ?? [], "replace");
  else if (isFirst && draft.attachments) composer.takeAttachments(draft.attachments, "append");
}
