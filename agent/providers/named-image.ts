import type { WireMessage } from "./anthropic-wire.ts";

/** The place of a block, as the service names it: `messages.4.content.0`, with `.tool_result.content.1` or `.content.1` inside a result. */
const PLACE = /messages\.(\d+)\.content\.(\d+)(?:(?:\.tool_result)?\.content\.(\d+))?/;

/** Returns the base64 data of the image or PDF that a refusal names by its place in the request; undefined if it names none. */
export function namedImage(messages: readonly WireMessage[], reason: string): string | undefined {
  const place = PLACE.exec(reason);
  if (place === null) return undefined;
  const [, message = "", block = "", inner] = place;
  const found = messages[Number(message)]?.content[Number(block)];
  if (found?.type === "image" || found?.type === "document") return found.source.data;
  if (found?.type !== "tool_result") return undefined;
  const part =
    inner === undefined ? found.content.findLast(({ type }) => type !== "text") : found.content[Number(inner)];
  return part === undefined || part.type === "text" ? undefined : part.source.data;
}
