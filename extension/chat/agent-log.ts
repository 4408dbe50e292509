import { errorMessage } from "../../agent/protocol/errors.ts";
import type { AgentObserver } from "../core/connection/running-agent.ts";
import type { ChatLog } from "./chat-ports.ts";

/** What an agent says that is for the log only. Nothing of the conversation gets there. */
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

/** What a parser says of a line that it could not read quotes the line. */
function wordReason(error: unknown): string {
  if (error instanceof SyntaxError) return "no JSON";
  return error === undefined ? "" : errorMessage(error);
}
