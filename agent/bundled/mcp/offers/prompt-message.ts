import * as z from "zod";
import type { AttachedItem } from "../../../protocol/attached.ts";
import type { ImageContent } from "../../../protocol/content.ts";
import { ResourceBlock, toContent } from "../call-output.ts";
import { readContents } from "./resource-content.ts";

const MAX_MESSAGES = 100;
const MAX_IMAGES = 10;
const MAX_TEXT_CHARACTERS = 200_000;

const ATTACHMENT_END = /<\/attached (?=[0-9a-f]{16}>)/g;

const Message = z.object({ role: z.enum(["user", "assistant"]), content: z.unknown() });
const Embedded = z.object({ type: z.literal("resource"), resource: ResourceBlock });

/** A prompt's messages, combined into one user message. */
export interface PromptMessage {
  text: string;
  images: ImageContent[];
  /** Resources that the messages embed. */
  items: AttachedItem[];
}

/** Combines a prompt's messages into one. @param messages unchecked. @throws Error if they are empty. */
export function toPromptMessage(server: string, messages: readonly unknown[]): PromptMessage {
  const read = messages.slice(0, MAX_MESSAGES).flatMap((message) => Message.safeParse(message).data ?? []);
  const isDialog = read.some(({ role }) => role === "assistant");
  const whole: PromptMessage = { text: "", images: [], items: [] };
  const texts: string[] = [];
  for (const { role, content } of read) {
    const said = addContent(server, content, whole);
    if (said !== "") texts.push(isDialog ? `${role === "user" ? "User" : "Assistant"}: ${said}` : said);
  }
  whole.text = withinLimit(texts.join("\n\n"));
  whole.images = whole.images.slice(0, MAX_IMAGES);
  if (whole.text === "" && whole.images.length + whole.items.length === 0) throw new Error("its prompt is empty.");
  return whole;
}

/** Adds images and embedded resources to a message. @returns the text of the content. */
function addContent(server: string, content: unknown, whole: PromptMessage): string {
  const embedded = Embedded.safeParse(content).data?.resource;
  if (embedded !== undefined) {
    const { images, text, ...facts } = readContents([embedded]);
    const { uri } = embedded;
    whole.images.push(...images);
    if (text !== "") whole.items.push({ facts: { kind: "resource", name: uri, server, uri, ...facts }, text });
    return "";
  }
  const block = toContent(content);
  if (block.type === "text") return block.text;
  whole.images.push(block);
  return "";
}

/**
 * Limits the length, and keeps a text that begins with "/" or "!" from being read as a command, and one that contains the
 * end of an attachment from being read as one.
 */
function withinLimit(text: string): string {
  const cut =
    text.length > MAX_TEXT_CHARACTERS ? `${text.slice(0, MAX_TEXT_CHARACTERS)}\n[The rest is left out.]` : text;
  const kept = cut.replace(ATTACHMENT_END, "< /attached ");
  return /^[/!]/.test(kept) ? `\n${kept}` : kept;
}
