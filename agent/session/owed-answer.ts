import { AgentError } from "../protocol/errors.ts";
import type { AgentMessage } from "../protocol/messages.ts";

/** Who speaks by turns; what others add needs no answer. */
const TURN_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "toolResult"]);

/** @throws AgentError invalid_request unless the last answer failed, or there is none to what was said last. */
export function requireOwedAnswer(messages: readonly AgentMessage[]): void {
  const last = messages.findLast(({ role }) => TURN_ROLES.has(role));
  if (last !== undefined && (last.role !== "assistant" || last.stopReason === "error")) return;
  throw new AgentError("invalid_request", "There is nothing to try again: the model owes no answer.");
}
