import type { AgentMessage } from "../protocol/messages.ts";
import type { Usage } from "../protocol/model.ts";

/** Ends the work of a process after so many turns, or after so many US dollars. */
export class RunLimits {
  readonly #maxTurns: number | undefined;
  readonly #maxCost: number | undefined;
  #turns = 0;
  #cost = 0;

  constructor(limits: { maxTurns: number | undefined; maxCost: number | undefined }) {
    this.#maxTurns = limits.maxTurns;
    this.#maxCost = limits.maxCost;
  }

  /** Counts a message that was added to the conversation. */
  count(message: AgentMessage): void {
    if (message.role === "toolResult" && message.usage !== undefined) this.countRequest(message.usage);
    if (message.role !== "assistant") return;
    this.#cost += message.usage.cost.total;
    if (message.stopReason !== "error" && message.stopReason !== "aborted") this.#turns++;
  }

  /** Counts a request that adds no message to the conversation, such as one for a summary. */
  countRequest({ cost }: Usage): void {
    this.#cost += cost.total;
  }

  /** Returns the reason why no further turn may begin; undefined if one may. */
  get reached(): string | undefined {
    if (this.#maxTurns !== undefined && this.#turns >= this.#maxTurns) {
      return `Stopped after ${this.#turns} ${this.#turns === 1 ? "turn" : "turns"} (--max-turns).`;
    }
    if (this.#maxCost !== undefined && this.#cost >= this.#maxCost) {
      return `Stopped at a cost of $${this.#cost.toFixed(4)} (--max-cost ${this.#maxCost}).`;
    }
    return undefined;
  }
}
