import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
import { estimateTokens } from "../util/token-estimate.ts";

/**
 * How many tokens the context takes: what the last answer reported, and an estimate of what came after it.
 * @param freshFrom position of the first message that is newer than the last compaction; what was reported before it counts no more.
 */
export function contextTokens(messages: readonly AgentMessage[], freshFrom: number): number {
  const at = lastReport(messages, freshFrom);
  const last = messages[at];
  const reported = last?.role === "assistant" ? reportedTokens(last) : 0;
  return reported + estimateTokens(messages.slice(at + 1));
}

/** Position of the last whole answer whose usage is known, or -1. */
export function lastReport(messages: readonly AgentMessage[], freshFrom: number): number {
  const at = messages.findLastIndex(
    (message) =>
      message.role === "assistant" &&
      message.stopReason !== "error" &&
      message.stopReason !== "aborted" &&
      reportedTokens(message) > 0,
  );
  return at < freshFrom ? -1 : at;
}

function reportedTokens({ usage }: AssistantMessage): number {
  return usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}
