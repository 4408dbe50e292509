import type { AgentEvent } from "../../agent/protocol/events.ts";
import type { AgentMessage, AssistantMessage } from "../../agent/protocol/messages.ts";
import type { ModelName } from "./model-rows.ts";

/** Which models have answered in a session, as far as this window has seen it. */
export class SessionUsage {
  #models: readonly ModelName[] = [];

  /** Latest first. */
  get models(): readonly ModelName[] {
    return this.#models;
  }

  /** Another session, or the same one read again. */
  reset(messages: readonly AgentMessage[]): void {
    this.#models = [];
    for (const message of messages) {
      if (message.role === "assistant") this.#saw(message);
    }
  }

  observe(event: AgentEvent): void {
    if (event.type === "turn_end") this.#saw(event.message);
  }

  #saw({ provider, model }: AssistantMessage): void {
    const name = `${provider}/${model}`;
    if (this.#models[0] !== name) this.#models = [name, ...this.#models.filter((other) => other !== name)];
  }
}
