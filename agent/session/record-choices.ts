import type { Conversation } from "./conversation.ts";
import type { ModelSelection } from "./model-selection.ts";

/** Records the model and level with which a conversation begins or continues. */
export function recordChoices(conversation: Conversation, { model, thinkingLevel }: ModelSelection): void {
  if (model !== undefined) conversation.appendModelChange(model);
  conversation.appendThinkingLevelChange(thinkingLevel);
}

/** Like `recordChoices`, but records only changed choices. */
export function recordChangedChoices(conversation: Conversation, { model, thinkingLevel }: ModelSelection): void {
  const said = conversation.choices();
  const isSame = said.model?.provider === model?.provider && said.model?.modelId === model?.id;
  if (model !== undefined && !isSame) conversation.appendModelChange(model);
  if (said.thinkingLevel !== thinkingLevel) conversation.appendThinkingLevelChange(thinkingLevel);
}
