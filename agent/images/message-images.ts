import type { ImageContent, InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";

/** Returns the images of a message, in order. */
export function imagesOf(message: AgentMessage): ImageContent[] {
  return blocksOf(message)?.filter((block) => block.type === "image") ?? [];
}

/** Returns a message with other blocks in place of its own; the message itself if none of them changes. */
export function changeBlocks<Message extends AgentMessage>(
  message: Message,
  change: (block: InputContent) => readonly InputContent[],
): Message {
  const blocks = blocksOf(message);
  if (blocks === undefined) return message;
  const content = blocks.flatMap(change);
  const isSame = content.length === blocks.length && content.every((part, at) => part === blocks[at]);
  return isSame ? message : { ...message, content };
}

function blocksOf(message: AgentMessage): readonly InputContent[] | undefined {
  if (message.role !== "user" && message.role !== "toolResult" && message.role !== "custom") return undefined;
  return typeof message.content === "string" ? undefined : message.content;
}
