import { imagesOf } from "../images/message-images.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import { type ContextMessage, prepareContext } from "../providers/prepare-context.ts";
import { cutLongMessages } from "../util/long-messages.ts";
import { unlessAborted } from "../util/unless-aborted.ts";

/**
 * Returns a conversation as a request for a model can carry it. Cuts messages that are longer than its window, and scales
 * images that are too large, which may take seconds.
 */
export async function requestMessages(
  messages: readonly AgentMessage[],
  model: Model,
  signal: AbortSignal,
): Promise<ContextMessage[]> {
  const cut = cutLongMessages(messages, model);
  const isShown = model.input.includes("image") && cut.some((message) => imagesOf(message).length > 0);
  if (!isShown) return prepareContext(cut, model);
  const { fitImages } = await import("../images/fit-images.ts");
  const fitted = await unlessAborted(fitImages(cut), signal, 0);
  signal.throwIfAborted();
  return prepareContext(fitted ?? cut, model);
}
