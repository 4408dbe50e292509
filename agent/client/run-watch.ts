import type { Disposition } from "../protocol/commands.ts";
import type { AgentEvent } from "../protocol/events.ts";
import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";

/** The result of a prompt. */
export interface RunResult {
  /** `handled`: an extension took the message and there was no run. */
  readonly disposition: Disposition;
  readonly aborted: boolean;
  /** The messages since the prompt, in order, with failed attempts that were retried. */
  readonly messages: readonly AgentMessage[];
  /** The text of the last answer; empty when there is none. */
  readonly text: string;
  /** The last answer. Its `stopReason` is `error` when the model failed; `errorMessage` then says why. */
  readonly answer: AssistantMessage | undefined;
}

/** Follows the events behind an accepted prompt until its run is over. */
export class RunWatch {
  readonly #messages: AgentMessage[] = [];
  readonly #done: (result: RunResult) => void;
  #disposition: Disposition | undefined;

  constructor(done: (result: RunResult) => void) {
    this.#done = done;
  }

  /** Called when the agent has accepted the prompt. Earlier events belong to another run. */
  accept(disposition: Disposition): void {
    this.#disposition = disposition;
    if (disposition === "handled") this.#finish(disposition, false);
  }

  take(event: AgentEvent): void {
    if (this.#disposition === undefined) return;
    if (event.type === "agent_end") this.#messages.push(...event.messages);
    if (event.type === "agent_settled") this.#finish(this.#disposition, event.aborted);
  }

  #finish(disposition: Disposition, aborted: boolean): void {
    const messages = this.#messages;
    const answer = messages.findLast((message) => message.role === "assistant");
    const blocks = answer?.content ?? [];
    const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
    this.#done({ disposition, aborted, messages, text, answer });
  }
}
