import { splitAttached } from "../../agent/protocol/attached.ts";
import { t } from "../../webview/l10n.ts";
import type { Prompt } from "../../webview/protocol/draft.ts";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import type { Chat } from "./chat.ts";
import { numberFork } from "./fork-title.ts";
import { type PromptEntry, promptsOnPath } from "./session-entries.ts";

/**
 * Goes on from before an earlier message, in a new session, with another message in its place; the session that is here keeps what it
 * has. A run ends first, and what waited in the queue goes into the composer. Rejects, with nothing sent, when that is not possible.
 * @param itemId the item of the earlier message in the conversation.
 */
export async function resendEdited(chat: Chat, itemId: string, prompt: Prompt): Promise<void> {
  const { entries, leafId } = await chat.request("get_entries", {});
  const entryId = entryOf(chat.transcript.allItems(), itemId, promptsOnPath(entries, leafId));
  if (entryId === undefined)
    throw new Error(t("Can't continue from this message because it's no longer in the session."));
  const { steering, followUp } = chat.transcript.ui;
  if (steering.length + followUp.length > 0) await chat.outbox.clearQueue();
  // A temporary chat cannot have a second session, so it continues on another branch.
  if (chat.session.isTemporary) await chat.stop();
  const { cancelled } = await chat.request(chat.session.isTemporary ? "navigate_tree" : "fork", { entryId });
  if (cancelled) throw new Error(t("Blocked by an agent extension."));
  await chat.agent.reload();
  await chat.prompt({ ...prompt, delivery: "steer" });
  // An agent that can't list or name sessions still continues: the title is then the same.
  await numberFork(chat, prompt.text).catch(() => undefined);
}

/**
 * Finds the entry of a prompt. Both lists are in the order of the conversation, but either may have gaps: prompts from before a compaction, and
 * prompts that were not shown. So they are compared from the end, by text.
 */
export function entryOf(
  items: readonly TranscriptItem[],
  itemId: string,
  points: readonly Pick<PromptEntry, "entryId" | "text">[],
): string | undefined {
  let before = points.length;
  for (const item of items.filter(({ kind }) => kind === "prompt").reverse()) {
    const at =
      item.kind === "prompt"
        ? points.slice(0, before).findLastIndex((point) => splitAttached(point.text).text === item.text)
        : -1;
    if (item.id === itemId) return points[at]?.entryId;
    if (at !== -1) before = at;
  }
  return undefined;
}
