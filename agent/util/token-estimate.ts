import type { AssistantContent, InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";

/** The estimated number of characters per token. */
export const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

/** A heuristic: four characters a token, a fixed number for an image. */
export function estimateTokens(messages: readonly AgentMessage[]): number {
  const sizes = messages.map(sizeOf);
  const characters = sizes.reduce((sum, size) => sum + size.characters, 0);
  const images = sizes.reduce((sum, size) => sum + size.images, 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + images * TOKENS_PER_IMAGE;
}

interface Size {
  characters: number;
  images: number;
}

function sizeOf(message: AgentMessage): Size {
  switch (message.role) {
    case "bashExecution":
      return { characters: message.excludeFromContext ? 0 : message.command.length + message.output.length, images: 0 };
    case "compactionSummary":
    case "branchSummary":
      return { characters: message.summary.length, images: 0 };
    default:
      return contentSize(message.content);
  }
}

function contentSize(content: string | readonly (InputContent | AssistantContent)[]): Size {
  if (typeof content === "string") return { characters: content.length, images: 0 };
  return {
    characters: content.reduce((sum, block) => sum + blockLength(block), 0),
    images: content.filter((block) => block.type === "image").length,
  };
}

function blockLength(block: InputContent | AssistantContent): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length;
    case "toolCall":
      return block.name.length + JSON.stringify(block.arguments).length;
    case "image":
      return 0;
  }
}
