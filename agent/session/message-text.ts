import type { UserMessage } from "../protocol/messages.ts";

/** The text of a message. */
export function textOf({ content }: Pick<UserMessage, "content">): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
