import type { ContextUsage, SessionStats } from "../protocol/commands.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../protocol/messages.ts";
import type { CacheTtl, Model, Usage } from "../protocol/model.ts";
import { cutLongMessages } from "../util/long-messages.ts";
import { cacheState } from "./cache-state.ts";
import type { Conversation } from "./conversation.ts";
import { allMessages, summaryUsages } from "./entry-tree.ts";
import { contextTokens, lastReport } from "./token-count.ts";

/** Adds up the messages and costs of a session, including all branches and summaries. */
export function countMessages(
  messages: Iterable<AgentMessage>,
  summaries: Iterable<Usage>,
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
    else if (message.role === "toolResult") addToolResult(stats, message);
    else if (message.role === "assistant") addAssistant(stats, message);
  }
  for (const usage of summaries) addUsage(stats, usage);
  const { input, output, cacheRead, cacheWrite } = stats.tokens;
  stats.tokens.total = input + output + cacheRead + cacheWrite;
  return stats;
}

/** All numbers of a session. */
export function sessionStats(conversation: Conversation, usage: ContextUsage | undefined) {
  return {
    ...countMessages(allMessages(conversation.allKnown()), summaryUsages(conversation.allKnown())),
    ...(conversation.file === undefined ? {} : { sessionFile: conversation.file }),
    sessionId: conversation.id,
    contextUsage: usage,
  };
}

function addAssistant(
  stats: Pick<SessionStats, "assistantMessages" | "toolCalls" | "tokens" | "cost">,
  message: AssistantMessage,
) {
  stats.assistantMessages++;
  stats.toolCalls += message.content.filter((block) => block.type === "toolCall").length;
  addUsage(stats, message.usage);
}

function addToolResult(
  stats: Pick<SessionStats, "toolResults" | "tokens" | "cost">,
  { usage }: ToolResultMessage,
): void {
  stats.toolResults++;
  if (usage !== undefined) addUsage(stats, usage);
}

function addUsage(stats: Pick<SessionStats, "tokens" | "cost">, usage: Usage): void {
  stats.tokens.input += usage.input;
  stats.tokens.output += usage.output;
  stats.tokens.cacheRead += usage.cacheRead;
  stats.tokens.cacheWrite += usage.cacheWrite;
  stats.cost += usage.cost.total;
}

/**
 * Returns how full the context window is: the usage that the last response reported, plus an estimate of later
 * messages. `tokens` is null right after a compaction. @returns undefined without a model.
 * @param freshFrom position of the first message that is newer than the last compaction.
 */
export function contextUsage(
  messages: readonly AgentMessage[],
  freshFrom: number,
  model: Model | undefined,
  cacheTtl: CacheTtl,
): ContextUsage | undefined {
  if (model === undefined || model.contextWindow <= 0) return undefined;
  const { contextWindow } = model;
  if (freshFrom > 0 && lastReport(messages, freshFrom) === -1) return { tokens: null, contextWindow, percent: null };
  const tokens = contextTokens(cutLongMessages(messages, model), freshFrom);
  const cache = cacheState(messages, model, tokens, cacheTtl);
  const percent = (tokens / contextWindow) * 100;
  return { tokens, contextWindow, percent, ...(cache === undefined ? {} : { cache }) };
}
