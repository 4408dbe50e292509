import type { UiRequest } from "../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";

/** Who follows what the agent of a chat tells. */
export interface ChatListener {
  event?(event: AgentEvent): void;
  /** The agent asks the user, or tells something beside the conversation. */
  uiRequest?(request: UiRequest): void;
  /** The agent is gone, whoever ended it; the listener stays, for the next one. */
  disconnected?(): void;
  /** The agent has ended unasked, or did not start. */
  crashed?(willRestart: boolean): void;
  /** The user has answered a question. */
  questionAnswered?(): void;
}

/** What the agent of a chat tells, for those beside the transcript who follow it. */
export class ChatEvents {
  readonly #listeners = new Set<ChatListener>();

  /** @returns what takes the listener off again. */
  listen(listener: ChatListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  event(event: AgentEvent): void {
    for (const listener of [...this.#listeners]) listener.event?.(event);
  }

  uiRequest(request: UiRequest): void {
    for (const listener of [...this.#listeners]) listener.uiRequest?.(request);
  }

  disconnected(): void {
    for (const listener of [...this.#listeners]) listener.disconnected?.();
  }

  questionAnswered(): void {
    for (const listener of [...this.#listeners]) listener.questionAnswered?.();
  }

  crashed(willRestart: boolean): void {
    for (const listener of [...this.#listeners]) listener.crashed?.(willRestart);
  }
}
