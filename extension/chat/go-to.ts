import type { Chat } from "./chat.ts";

/** Options for going elsewhere in a session. */
export interface GoToOptions {
  /** True to let the model summarize the branch that is left. */
  readonly summarize?: boolean;
}

/**
 * Continues from another entry of the session; if that is a prompt, its text goes into the composer. The agent reports the new place, and the
 * conversation is shown anew. Rejects with the agent's reason when it is impossible, as during a run.
 * @returns true when it went there; extensions may refuse it, and the user may cancel the summary.
 */
export async function goTo(chat: Chat, entryId: string, { summarize = false }: GoToOptions = {}): Promise<boolean> {
  const { cancelled, text } = await chat.request("navigate_tree", { entryId, ...(summarize && { summarize }) });
  if (!cancelled && text !== undefined) chat.outbox.giveBack(text, []);
  return !cancelled;
}
