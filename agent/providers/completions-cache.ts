import type { CacheTtl } from "../protocol/model.ts";
import type { ChatCacheControl, ChatMessage, ChatText } from "./completions-wire.ts";

/**
 * Marks what the service should cache: the system prompt with the tools before it, and the ends of the last two user turns. The mark of the earlier
 * turn finds what the last request stored.
 * @see https://openrouter.ai/docs/features/prompt-caching
 */
export function markCache(messages: readonly ChatMessage[], ttl: CacheTtl | undefined): ChatMessage[] {
  const mark: ChatCacheControl = ttl === "1h" ? { type: "ephemeral", ttl } : { type: "ephemeral" };
  const turnEnds = messages.flatMap(({ role }, at) =>
    isOfUser(role) && !isOfUser(messages[at + 1]?.role) ? [at] : [],
  );
  const marked = new Set(turnEnds.slice(-2));
  return messages.map((message, at) => (isSystem(message.role) || marked.has(at) ? withMark(message, mark) : message));
}

function isSystem(role: ChatMessage["role"]): boolean {
  return role === "system" || role === "developer";
}

/** True for messages of the user and results of tools. */
function isOfUser(role: ChatMessage["role"] | undefined): boolean {
  return role === "user" || role === "tool";
}

function withMark(message: ChatMessage, mark: ChatCacheControl): ChatMessage {
  if (message.role === "assistant") return message;
  if (message.role === "user") {
    if (typeof message.content === "string") return { ...message, content: markText(message.content, mark) };
    const at = message.content.findLastIndex(({ type }) => type === "text");
    const content = message.content.map((part, index) =>
      index === at && part.type === "text" ? { ...part, cache_control: mark } : part,
    );
    return { ...message, content };
  }
  return typeof message.content === "string" ? { ...message, content: markText(message.content, mark) } : message;
}

function markText(text: string, mark: ChatCacheControl): ChatText[] {
  return [{ type: "text", text, cache_control: mark }];
}
