import { t } from "../../webview/l10n.ts";
import type { Chat } from "./chat.ts";
import { numberFork } from "./fork-title.ts";
import { goTo } from "./go-to.ts";
import { entryOf } from "./resend.ts";
import { type PromptEntry, promptsOnPath } from "./session-entries.ts";

/** The place of an item in a chat, and the session's prompts. */
interface Place {
  /** The user's messages on the path to the present place. */
  readonly prompts: readonly PromptEntry[];
  /** Index of the item in the conversation. */
  readonly at: number;
}

/**
 * Continues from an item of the conversation, in a new session: before a message of the user, whose text goes into the composer, or else after
 * the turn of the item. Aborts a run first. In a temporary chat, which cannot have a second session, it continues on another branch.
 * Rejects, with nothing changed, when the session no longer has the item.
 */
export async function forkAt(chat: Chat, itemId: string): Promise<void> {
  const { prompts, at } = await find(chat, itemId);
  const items = chat.transcript.allItems();
  if (items[at]?.kind === "prompt") {
    const entryId = entryOf(items, itemId, prompts);
    if (entryId === undefined) throw gone();
    return forkFrom(chat, entryId);
  }
  const next = items.slice(at + 1).find(({ kind }) => kind === "prompt");
  if (next === undefined) return copyAll(chat);
  const entryId = entryOf(items, next.id, prompts);
  if (entryId === undefined) throw gone();
  if (chat.session.isTemporary) {
    const { parentId } = prompts.find((prompt) => prompt.entryId === entryId) ?? {};
    if (parentId) await goTo(chat, parentId);
    return;
  }
  const { cancelled } = await chat.request("fork", { entryId });
  if (!cancelled) await goOn(chat);
}

/** Continues in a new session that holds everything before a message of the user; its text goes into the composer. */
export async function forkFrom(chat: Chat, entryId: string): Promise<void> {
  if (chat.session.isTemporary) {
    await goTo(chat, entryId);
    return;
  }
  const { cancelled, text } = await chat.request("fork", { entryId });
  if (cancelled) return;
  await goOn(chat);
  chat.outbox.giveBack(text, []);
}

/** Continues in a copy of the session. */
async function copyAll(chat: Chat): Promise<void> {
  if (chat.session.isTemporary) throw new Error(t("This is the end of the temporary chat. Save the chat to fork it."));
  const { cancelled } = await chat.request("clone", {});
  if (!cancelled) await goOn(chat);
}

/** Loads the agent's new session; a mode chosen for the old one does not apply to it. */
async function goOn(chat: Chat): Promise<void> {
  chat.mode.forget();
  await chat.agent.reload();
  // An agent that can't list or name sessions still forks: the title is then the same.
  await numberFork(chat).catch(() => undefined);
}

async function find(chat: Chat, itemId: string): Promise<Place> {
  const at = chat.transcript.allItems().findIndex(({ id }) => id === itemId);
  if (at === -1) throw gone();
  const { entries, leafId } = await chat.request("get_entries", {});
  return { prompts: promptsOnPath(entries, leafId), at };
}

function gone(): Error {
  return new Error(t("Can't continue from this message because it's no longer in the session."));
}
