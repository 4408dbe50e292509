import type { BashExecutionMessage } from "../protocol/messages.ts";
import type { Conversation } from "./conversation.ts";

/** Messages that wait until nothing is in progress that they would stand in the middle of. */
export class HeldMessages {
  #waiting: BashExecutionMessage[] = [];

  add(message: BashExecutionMessage): void {
    this.#waiting.push(message);
  }

  /** Adds all of them to the conversation, in order. */
  flushTo(conversation: Conversation): void {
    for (const message of this.#waiting.splice(0)) conversation.appendMessage(message);
  }

  /** Forgets them. */
  clear(): void {
    this.#waiting = [];
  }
}
