import type { Conversation } from "./conversation.ts";
import type { SessionOptions } from "./session-options.ts";

/** Cuts long messages shorter in what is sent, when a conversation does not fit although nothing is left to summarize. */
export interface Shortening {
  /** True if there is a message that could be cut. */
  isPossible(): boolean;
  /** Cuts, and tells the user. @returns false if there is nothing to cut. */
  shorten(): boolean;
}

/** Returns the shortening of a session's conversation for its model. */
export function createShortening(
  { repairs, prefix, selection, warn }: Pick<SessionOptions, "repairs" | "prefix" | "selection" | "warn">,
  conversation: () => Conversation,
): Shortening {
  const measured = () => selection.measure(conversation().messages);
  return {
    isPossible() {
      const model = measured();
      return model !== undefined && repairs.canShorten(conversation().sent, model);
    },
    shorten() {
      const model = measured();
      if (model === undefined || !repairs.shorten(conversation().sent, model)) return false;
      prefix.changes("shortening");
      warn(
        `The chat doesn't fit the context window of ${model.id}, so Tiller no longer sends the middle of long messages.`,
      );
      return true;
    },
  };
}
