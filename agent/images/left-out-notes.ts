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

/** True for a note that replaces an image or a PDF for which the conversation has no room. */
export function isLeftOutNote(block: object): boolean {
  return block === TOO_MANY || block === TOO_LONG;
}
