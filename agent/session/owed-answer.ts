import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage, UserMessage } from "../protocol/messages.ts";

/** The roles that take turns; messages of other roles need no answer. */
const TURN_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/**
 * @returns the user's last message, if there is one.
 * @throws AgentError invalid_request unless the last answer failed, or there is none to what was said last.
 */
export function requireOwedAnswer(messages: readonly AgentMessage[]): UserMessage | undefined {
  const last = messages.findLast(({ role }) => TURN_ROLES.has(role));
  if (last !== undefined && (last.role !== "assistant" || last.stopReason === "error")) {
    return messages.findLast((message) => message.role === "user");
  }
  throw new AgentError("invalid_request", "There's nothing to retry because the model has already responded.");
}
