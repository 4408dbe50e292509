import type { TextContent } from "../protocol/content.ts";

/** Stands in place of an image. */
export const TOO_MANY: TextContent = {
  type: "text",
  text: "[Image left out: the conversation has more images than a request may carry. Read it again if you need it.]",
};

/** Stands in place of a PDF. */
export const TOO_LONG: TextContent = {
  type: "text",
  text: "[PDF left out: the conversation has more pages or images than a request may carry. Read it again if you need it.]",
};

/** True for the note in place of an image or a PDF that the conversation has no more room for. */
export function isLeftOutNote(block: object): boolean {
  return block === TOO_MANY || block === TOO_LONG;
}
