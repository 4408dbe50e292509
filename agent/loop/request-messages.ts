import { changeBlocks, imagesOf } from "../images/message-images.ts";
import type { TextContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import { type ContextMessage, prepareContext } from "../providers/prepare-context.ts";
import type { ToolSpec } from "../providers/provider.ts";
import { takesPdf } from "../providers/takes-pdf.ts";
import type { AnyTool } from "../tools/tool.ts";
import { cutLongMessages } from "../util/long-messages.ts";
import { isPdf } from "../util/pdf.ts";
import { unlessAborted } from "../util/unless-aborted.ts";

const PDF_NOTE: TextContent = {
  type: "text",
  text: "[PDF left out: the model takes no PDFs. Use bash to get its text, such as: pdftotext]",
};

/**
 * Returns a conversation as a request for a model can carry it. Cuts messages that are longer than its window, and scales
 * images that are too large, which may take seconds.
 * @param limits.messageShare the part of the usual limit that a message may have.
 */
export async function requestMessages(
  messages: readonly AgentMessage[],
  limits: { model: Model; messageShare: number },
  signal: AbortSignal,
): Promise<ContextMessage[]> {
  const { model, messageShare } = limits;
  const cut = withoutForeignPdfs(cutLongMessages(messages, model, messageShare), model);
  const isShown = model.input.includes("image") && cut.some((message) => imagesOf(message).length > 0);
  if (!isShown) return prepareContext(cut, model);
  const { fitImages } = await import("../images/fit-images.ts");
  const fitted = await unlessAborted(fitImages(cut), signal, 0);
  signal.throwIfAborted();
  return prepareContext(fitted ?? cut, model);
}

/** Returns the declarations of tools for a request. */
export function toolSpecs(tools: ReadonlyMap<string, AnyTool>): ToolSpec[] {
  return [...tools.values()].map(({ name, description, parameters, serverTool }) => ({
    name,
    description,
    parameters,
    ...(serverTool === undefined ? {} : { serverTool }),
  }));
}

/** Puts a note in place of PDFs, which another model was shown, for a model that takes none. */
function withoutForeignPdfs(messages: readonly AgentMessage[], model: Model): readonly AgentMessage[] {
  if (takesPdf(model) || !messages.some((message) => imagesOf(message).some(isPdf))) return messages;
  return messages.map((message) => changeBlocks(message, (block) => [isPdf(block) ? PDF_NOTE : block]));
}
