import type { Conversation } from "./conversation.ts";
import type { ModelSelection } from "./model-selection.ts";

/** Writes down which model and level a conversation begins, or goes on, with. */
export function recordChoices(conversation: Conversation, { model, thinkingLevel }: ModelSelection): void {
  if (model !== undefined) conversation.appendModelChange(model);
  conversation.appendThinkingLevelChange(thinkingLevel);
}

/** As `recordChoices`, for what the conversation does not say already. */
export function recordChangedChoices(conversation: Conversation, { model, thinkingLevel }: ModelSelection): void {
  const said = conversation.choices();
  const isSame = said.model?.provider === model?.provider && said.model?.modelId === model?.id;
  if (model !== undefined && !isSame) conversation.appendModelChange(model);
  if (said.thinkingLevel !== thinkingLevel) conversation.appendThinkingLevelChange(thinkingLevel);
}
