import { withTimeLimit } from "../util/with-time-limit.ts";
import { type ContentHost, sentContent } from "./assistant-reply.ts";
import type { LoopHost } from "./loop-host.ts";

/** The time limit for a count. After that, the run uses its estimate. */
const TIME_LIMIT_MS = 5000;

/** Returns the provider's count of the tokens that the conversation would send; undefined if it can't count or takes too long. */
export async function countTokens(
  host: ContentHost & Pick<LoopHost, "requestSettings">,
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = withTimeLimit(signal, TIME_LIMIT_MS);
  try {
    const settings = host.requestSettings();
    const { provider, model, apiKey, thinkingLevel } = settings;
    if (provider.countTokens === undefined) return undefined;
    const content = await sentContent(host, settings, limit.signal);
    const messages = host.repairs.apply(content.messages);
    return await provider.countTokens({ model, apiKey, thinkingLevel, ...content, messages, signal: limit.signal });
  } catch {
    return undefined; // the request itself fails in the same way, and tells why
  } finally {
    limit.end();
  }
}
