import type { Conversation } from "./conversation.ts";
import { recordChoices } from "./record-choices.ts";
import type { Session } from "./session.ts";

/**
 * Goes on with another conversation: the run ends first, the queues are emptied, and the model and the level that the conversation
 * was left with are chosen again where they are still there.
 * @param open called when the run is over; when it throws, the session stays as it was.
 */
export async function continueWith(session: Session, open: () => Conversation): Promise<void> {
  await session.abort();
  const conversation = open();
  const { model, thinkingLevel } = conversation.choices();
  const { registry, selection } = session.options;
  const found =
    model && registry.hasCredentials(model.provider) ? registry.find(model.provider, model.modelId) : undefined;
  if (found !== undefined) selection.choose(found);
  if (thinkingLevel !== undefined) selection.setLevel(thinkingLevel);
  if (model === undefined) recordChoices(conversation, selection);
  await session.replace(conversation);
}
