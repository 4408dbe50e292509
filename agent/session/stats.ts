import type { ContextUsage, SessionStats } from "../protocol/commands.ts";
import type { AssistantContent, InputContent } from "../protocol/content.ts";
import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";

const CHARACTERS_PER_TOKEN = 4;
const TOKENS_PER_IMAGE = 1200;

/** Adds up what a session holds and cost; every message counts, also those of other branches. */
export function countMessages(
  messages: Iterable<AgentMessage>,
): Omit<SessionStats, "sessionFile" | "sessionId" | "contextUsage"> {
  const stats = {
    userMessages: 0,
    assistantMessages: 0,
    toolCalls: 0,
    toolResults: 0,
    totalMessages: 0,
    tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    cost: 0,
    premiumRequests: 0,
  };
  for (const message of messages) {
    stats.totalMessages++;
    if (message.role === "user") stats.userMessages++;
    else if (message.role === "toolResult") stats.toolResults++;
    else if (message.role === "assistant") addAssistant(stats, message);
  }
  const { input, output, cacheRead, cacheWrite } = stats.tokens;
  stats.tokens.total = input + output + cacheRead + cacheWrite;
  return stats;
}

function addAssistant(
  stats: Pick<SessionStats, "assistantMessages" | "toolCalls" | "tokens" | "cost">,
  message: AssistantMessage,
) {
  stats.assistantMessages++;
  stats.toolCalls += message.content.filter((block) => block.type === "toolCall").length;
  stats.tokens.input += message.usage.input;
  stats.tokens.output += message.usage.output;
  stats.tokens.cacheRead += message.usage.cacheRead;
  stats.tokens.cacheWrite += message.usage.cacheWrite;
  stats.cost += message.usage.cost.total;
}

/**
 * How full the window is: what the last answer reported, and an estimate of what came after it. `tokens` is null right after a
 * compaction. @returns undefined without a model.
 */
export function contextUsage(messages: readonly AgentMessage[], model: Model | undefined): ContextUsage | undefined {
  if (model === undefined || model.contextWindow <= 0) return undefined;
  const { contextWindow } = model;
  const [first] = messages;
  const compactedAt = first?.role === "compactionSummary" ? first.timestamp : undefined;
  const at = messages.findLastIndex(
    (message) =>
      message.role === "assistant" && message.usage.totalTokens > 0 && message.timestamp > (compactedAt ?? -1),
  );
  if (at === -1 && compactedAt !== undefined) return { tokens: null, contextWindow, percent: null };
  const last = messages[at];
  const reported = last?.role === "assistant" ? last.usage.totalTokens : 0;
  const tokens = reported + estimateTokens(messages.slice(at + 1));
  return { tokens, contextWindow, percent: (tokens / contextWindow) * 100 };
}

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
      return { characters: message.command.length + message.output.length, images: 0 };
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
