import type { AssistantContent, ImageContent, InputContent } from "../protocol/content.ts";
import type { AgentMessage } from "../protocol/messages.ts";
import { isPdf, pdfPagesOf, TOKENS_PER_PDF_PAGE } from "./pdf.ts";

/** The estimated number of characters per token. */
export const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

/** A heuristic: four characters a token, a fixed number for an image or a page of a PDF. */
export function estimateTokens(messages: readonly AgentMessage[]): number {
  const sizes = messages.map(sizeOf);
  const characters = sizes.reduce((sum, size) => sum + size.characters, 0);
  const imageTokens = sizes.reduce((sum, size) => sum + size.imageTokens, 0);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + imageTokens;
}

interface Size {
  characters: number;
  imageTokens: number;
}

function sizeOf(message: AgentMessage): Size {
  switch (message.role) {
    case "bashExecution":
      return {
        characters: message.excludeFromContext ? 0 : message.command.length + message.output.length,
        imageTokens: 0,
      };
    case "compactionSummary":
    case "branchSummary":
      return { characters: message.summary.length, imageTokens: 0 };
    default:
      return contentSize(message.content);
  }
}

function contentSize(content: string | readonly (InputContent | AssistantContent)[]): Size {
  if (typeof content === "string") return { characters: content.length, imageTokens: 0 };
  return {
    characters: content.reduce((sum, block) => sum + blockLength(block), 0),
    imageTokens: content.reduce((sum, block) => sum + (block.type === "image" ? tokensOfImage(block) : 0), 0),
  };
}

function tokensOfImage(image: ImageContent): number {
  return isPdf(image) ? pdfPagesOf(image) * TOKENS_PER_PDF_PAGE : TOKENS_PER_IMAGE;
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
