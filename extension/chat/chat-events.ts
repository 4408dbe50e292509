import type { UiRequest } from "../../agent/protocol/dialogs.ts";
import type { AgentEvent } from "../../agent/protocol/events.ts";

/** A listener to the agent of a chat. */
export interface ChatListener {
  event?(event: AgentEvent): void;
  /** Called when the agent asks the user, or reports something beside the conversation. */
  uiRequest?(request: UiRequest): void;
  /** Called when the agent has exited for any reason; the listener stays for the next one. */
  disconnected?(): void;
  /** Called when the agent exited unexpectedly, or failed to start. */
  crashed?(willRestart: boolean): void;
  /** Called when the user has answered a question. */
  questionAnswered?(): void;
}

/** The events of a chat's agent, for listeners other than the transcript. */
export class ChatEvents {
  readonly #listeners = new Set<ChatListener>();

  /** @returns a function that removes the listener. */
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
