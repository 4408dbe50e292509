import type { InputContent } from "../protocol/content.ts";
import type { AgentMessage, CustomMessage, ToolResultMessage, UserMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import { CHARACTERS_PER_TOKEN } from "./token-estimate.ts";

type Cuttable = UserMessage | ToolResultMessage | CustomMessage;
type Window = Pick<Model, "contextWindow" | "maxTokens">;

/** The share of the window without the answer that one message may take; the rest is left to system prompt, tools, and a summary. */
const SHARE = 0.9;
/** The share of that which stays of a message that is cut. */
const KEPT_SHARE = 0.5;

/** A smaller share of the limit is not tried: then the reason is something else than long messages. */
const MIN_SHARE = 1 / 16;

/** Returns the maximum number of tokens of one message; Infinity if the window is unknown. */
export function messageLimit({ contextWindow, maxTokens }: Window): number {
  if (contextWindow <= 0) return Number.POSITIVE_INFINITY;
  return Math.floor(SHARE * (contextWindow - Math.min(maxTokens, contextWindow / 2)));
}

/**
 * Returns messages that fit into a model's window one by one: of a text that is too long, the beginning and the end stay, with a note
 * between them. Messages without a change stay the same objects.
 * @param share the part of the usual limit that a message may have.
 */
export function cutLongMessages(messages: readonly AgentMessage[], window: Window, share = 1): readonly AgentMessage[] {
  const limit = messageLimit(window) * share;
  if (!messages.some((message) => isLong(message, limit))) return messages;
  return messages.map((message) => (isLong(message, limit) ? cut(message, limit) : message));
}

/**
 * Returns a smaller share of the limit, with which at least one message is cut that isn't cut as short yet; undefined if all are short. It is
 * for texts with more tokens than their length says, such as base64 or Chinese.
 */
export function smallerShare(messages: readonly AgentMessage[], window: Window, share: number): number | undefined {
  const longest = Math.max(0, ...messages.filter(isCuttable).map(({ content }) => charactersOf(content)));
  for (let next = share / 2; next >= MIN_SHARE; next /= 2) {
    if (longest > next * messageLimit(window) * CHARACTERS_PER_TOKEN) return next;
  }
  return undefined;
}

function isLong(message: AgentMessage, limit: number): boolean {
  return isCuttable(message) && charactersOf(message.content) > limit * CHARACTERS_PER_TOKEN;
}

function isCuttable(message: AgentMessage): message is Cuttable {
  return message.role === "user" || message.role === "toolResult" || message.role === "custom";
}

function charactersOf(content: Cuttable["content"]): number {
  if (typeof content === "string") return content.length;
  let characters = 0;
  for (const block of content) if (block.type === "text") characters += block.text.length;
  return characters;
}

function cut(message: AgentMessage, limit: number): AgentMessage {
  if (!isCuttable(message)) return message;
  const { content } = message;
  const blocks: InputContent[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const share = (KEPT_SHARE * limit * CHARACTERS_PER_TOKEN) / charactersOf(content);
  const kept = blocks.map((block) =>
    block.type === "text"
      ? { ...block, text: withoutMiddle(block.text, Math.floor(block.text.length * share)) }
      : block,
  );
  return { ...message, content: kept };
}

function withoutMiddle(text: string, length: number): string {
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  if (left <= 0) return text;
  const note = `[${left} characters in the middle are left out: the message is too long for the model.]`;
  return `${text.slice(0, half)}\n\n${note}\n\n${text.slice(text.length - half)}`;
}
