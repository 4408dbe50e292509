import type { AgentEvent } from "../../agent/protocol/events.ts";

/** Finds the moments in what an agent tells at which somebody who is elsewhere would want to know. Each run ends in at most one of them. */
export class RunEnds {
  #isRunning = false;
  #hasFailed = false;
  #isTold = false;

  /** @returns how the run ended, if `event` is its end; a run that was stopped ends in nothing, since somebody did that. */
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
   * The process has ended unasked. An idle agent that is started again is nobody's concern.
   * @returns `failed` once for each run that it cut off, and once when nobody starts the agent again.
   */
  crashed(willRestart: boolean): "failed" | undefined {
    const isNews = this.#isRunning || !(willRestart || this.#isTold);
    this.#isRunning = false;
    if (isNews) this.#isTold = true;
    return isNews ? "failed" : undefined;
  }
}
