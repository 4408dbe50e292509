import { findRestored } from "./choose-model.ts";
import type { Conversation } from "./conversation.ts";
import { recordChoices } from "./record-choices.ts";
import type { Session } from "./session.ts";

/**
 * Continues with another conversation: ends the run first, empties the queues, and selects the model and level of the
 * conversation again if they still exist.
 * @param open called when the run is over; if it throws, the session doesn't change.
 */
export async function continueWith(session: Session, open: () => Conversation): Promise<void> {
  await session.abort();
  const conversation = open();
  const choices = conversation.choices();
  const { model, thinkingLevel } = choices;
  const { registry, selection } = session.options;
  const found = findRestored(registry, choices);
  if (found !== undefined) selection.choose(found);
  if (thinkingLevel !== undefined) selection.setLevel(thinkingLevel);
  if (model === undefined) recordChoices(conversation, selection);
  await session.replace(conversation);
}
