import type { Chat } from "./chat.ts";

/** How to go elsewhere in a session. */
export interface GoToOptions {
  /** The model sums up what is left behind. */
  readonly summarize?: boolean;
}

/**
 * Goes on from another entry of the session; what stood there in the user's words goes into the composer. The agent tells of the new place,
 * and the conversation is shown anew. Rejects with the agent's reason when it cannot be done, such as a run that is active.
 * @returns whether it went there: extensions may be against it, and the user may stop the making of a summary.
 */
export async function goTo(chat: Chat, entryId: string, { summarize = false }: GoToOptions = {}): Promise<boolean> {
  const { cancelled, text } = await chat.request("navigate_tree", { entryId, ...(summarize && { summarize }) });
  if (!cancelled && text !== undefined) chat.outbox.giveBack(text, []);
  return !cancelled;
}
