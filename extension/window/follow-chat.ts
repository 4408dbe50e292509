import { errorMessage } from "../../agent/protocol/errors.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { Chat } from "../chat/chat.ts";
import type { Attention } from "./attention.ts";
import type { ChatSurroundings } from "./chat-surroundings.ts";

/** Connects the listeners to the events of a chat's agent. */
export function followChat(chat: Chat, around: ChatSurroundings): void {
  chat.events.listen({ event: (event) => around.told(chat, event) });
  followRuns(chat, around.attention);
  recordRuns(chat, around);
  chat.events.listen(around.milestones.listener);
}

function followRuns(chat: Chat, attention: Attention): void {
  const ends = new RunEnds();
  const tell = (end: "done" | "failed" | undefined) => {
    if (end !== undefined) attention.runEnded(chat, end);
  };
  chat.events.listen({
    event: (event) => tell(ends.observe(event)),
    crashed: (willRestart) => tell(ends.crashed(willRestart)),
  });
}

function recordRuns(chat: Chat, { changes, log }: Pick<ChatSurroundings, "changes" | "log">): void {
  const endCalls = () => {
    changes
      .endSession(chat.session.key)
      .catch((error: unknown) => log.warn(`Changes were not recorded: ${errorMessage(error)}`));
  };
  chat.events.listen({
    event: ({ type }) => {
      if (type === "agent_start") changes.warmUp(chat.session.folder);
      if (type === "agent_settled") endCalls();
    },
    disconnected: endCalls,
  });
}

/** Detects the ends of runs that a user who is elsewhere would want to know of. Each run has at most one. */
export class RunEnds {
  #isRunning = false;
  #hasFailed = false;
  #isTold = false;

  /** @returns how the run ended, if `event` is its end; nothing for a run that was stopped, since the user did that. */
  observe(event: AgentEvent): "done" | "failed" | undefined {
    switch (event.type) {
      case "agent_start":
        this.#isRunning = true;
        this.#hasFailed = false;
        this.#isTold = false;
        return undefined;
      case "turn_end":
        this.#hasFailed = event.message.stopReason === "error";
        return undefined;
      case "agent_settled": {
        const isNews = this.#isRunning && !event.aborted;
        this.#isRunning = false;
        this.#isTold ||= this.#hasFailed;
        return isNews ? (this.#hasFailed ? "failed" : "done") : undefined;
      }
      default:
        return undefined;
    }
  }

  /**
   * Handles an unexpected exit of the process. An idle agent that is restarted is not reported.
   * @returns `failed` once for each run that it cut off, and once when the agent is not restarted.
   */
  crashed(willRestart: boolean): "failed" | undefined {
    const isNews = this.#isRunning || !(willRestart || this.#isTold);
    this.#isRunning = false;
    if (isNews) this.#isTold = true;
    return isNews ? "failed" : undefined;
  }
}
