import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
import { estimateTokens } from "../util/token-estimate.ts";

/**
 * Returns the tokens of the context: the usage that the last response reported, plus an estimate of later messages.
 * @param freshFrom position of the first message that is newer than the last compaction; earlier reports don't count.
 */
export function contextTokens(messages: readonly AgentMessage[], freshFrom: number): number {
  const { reported, estimated } = contextCount(messages, freshFrom);
  return reported + estimated;
}

/** Returns both parts of `contextTokens`. */
export function contextCount(messages: readonly AgentMessage[], freshFrom: number) {
  const at = lastReport(messages, freshFrom);
  const last = messages[at];
  const reported = last?.role === "assistant" ? reportedTokens(last) : 0;
  return { reported, estimated: estimateTokens(messages.slice(at + 1)) };
}

/** Returns the position of the last complete response with a known usage, or -1. */
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
