import { errorMessage } from "../../agent/protocol/errors.ts";
import type { AgentObserver } from "../core/connection/running-agent.ts";
import type { ChatLog } from "./chat-ports.ts";

/** Returns the observers that write to the log only. Nothing of the conversation gets into the log. */
export function logAgent(log: ChatLog): Pick<AgentObserver, "stderr" | "problem" | "refused"> {
  return {
    stderr: (text) => log.info(`agent stderr: ${text.trimEnd()}`),
    problem: ({ kind, frameType, error }) => {
      const what = `${kind} ${frameType ?? ""}`.trim();
      if (kind === "unknownFrame") log.debug(`agent: ${what}`);
      else log.warn(`agent: ${what} ${wordReason(error)}`.trim());
    },
    refused: (error) => log.warn(`agent: ${error.message}`),
  };
}

/** Describes a parse error. A parser's own message would quote the line. */
function wordReason(error: unknown): string {
  if (error instanceof SyntaxError) return "no JSON";
  return error === undefined ? "" : errorMessage(error);
}
