import { randomUUID } from "node:crypto";
import type { DialogRequest } from "../../../agent/protocol/dialogs.ts";
import type { Answer } from "./question-queue.ts";

type Unasked<R> = R extends DialogRequest ? Omit<R, "id" | "type"> : never;
/** A question without its id. */
export type HostQuestion = Unasked<DialogRequest>;

interface Places {
  /** Adds a question to those of the agent. */
  add(request: DialogRequest): void;
  withdraw(id: string): void;
}

/** Questions that the extension itself asks the user, shown among those of the agent. */
export class HostQuestions {
  readonly #places: Places;
  readonly #waiting = new Map<string, (answer: Answer) => void>();

  constructor(places: Places) {
    this.#places = places;
  }

  /** Asks, and waits for the answer. Aborting `signal` withdraws the question, which counts as no answer. */
  ask(question: HostQuestion, signal: AbortSignal): Promise<Answer> {
    const id = `host-${randomUUID()}`;
    return new Promise((resolve) => {
      const withdraw = () => {
        this.#places.withdraw(id);
        this.take(id, { type: "cancelled" });
      };
      this.#waiting.set(id, (answer) => {
        signal.removeEventListener("abort", withdraw);
        resolve(answer);
      });
      this.#places.add({ type: "extension_ui_request", id, ...question });
      if (signal.aborted) withdraw();
      else signal.addEventListener("abort", withdraw, { once: true });
    });
  }

  /** Settles a question. @returns false when it was not asked here. */
  take(id: string, answer: Answer): boolean {
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    resolve?.(answer);
    return resolve !== undefined;
  }

  /** Settles all open questions as unanswered, because the agent no longer waits for them. */
  endAll(): void {
    for (const id of [...this.#waiting.keys()]) this.take(id, { type: "cancelled" });
  }
}
