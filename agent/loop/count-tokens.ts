import type { LoopHost } from "./loop-host.ts";
import { requestMessages, toolSpecs } from "./request-messages.ts";

/** A run doesn't wait longer for a count: there is an estimate. */
const TIME_LIMIT_MS = 5000;

/** Has the provider count the tokens of the conversation, as it would be sent. @returns undefined if it can't, or takes too long. */
export async function countTokens(
  { requestSettings, context, repairs }: Pick<LoopHost, "requestSettings" | "context" | "repairs">,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
  try {
    const { provider, model, apiKey, thinkingLevel, systemPrompt, declared } = requestSettings();
    if (provider.countTokens === undefined) return undefined;
    const messages = await requestMessages(context(), { model, messageShare: repairs.messageShare }, limit);
    const content = { systemPrompt, messages: repairs.apply(messages), tools: toolSpecs(declared) };
    return await provider.countTokens({ model, apiKey, thinkingLevel, ...content, signal: limit });
  } catch {
    return undefined; // the request itself fails in the same way, and tells why
  }
}
