import type { CommandInput } from "../../agent/protocol/commands.ts";
import type { ImageAttachment } from "../../webview/protocol/draft.ts";

/** The pictures of a message as fields of `prompt`, `steer` and `follow_up`; no field without pictures. */
export function wireImages(images: readonly ImageAttachment[]): Pick<CommandInput<"prompt">, "images"> {
  if (images.length === 0) return {};
  return { images: images.map(({ data, mimeType }) => ({ type: "image", data, mimeType })) };
}
