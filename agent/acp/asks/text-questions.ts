import type { SessionFeed } from "../updates/session-feed.ts";

/** A question that the next message of the user answers. */
interface OpenQuestion {
  answer(text: string | undefined): void;
}

/** Asks for texts by messages: a question ends the turn, and the next message is the answer. */
export class TextQuestions {
  readonly #feed: SessionFeed;
  readonly #onAsked: () => void;
  readonly #open: OpenQuestion[] = [];

  /** @param onAsked called when a question was asked, so that the user gets to answer. */
  constructor(feed: SessionFeed, onAsked: () => void) {
    this.#feed = feed;
    this.#onAsked = onAsked;
  }

  /** Resolves to the next message; undefined when the question is withdrawn. */
  ask(title: string, hint: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const shown = hint === undefined || hint === "" ? "" : `\n${hint}`;
    this.#feed.notice("info", `${title}${shown}\nAnswer with your next message. To leave it unanswered, cancel.`);
    return new Promise((resolve) => {
      const question: OpenQuestion = {
        answer: (text) => {
          signal.removeEventListener("abort", withdraw);
          const index = this.#open.indexOf(question);
          if (index !== -1) this.#open.splice(index, 1);
          resolve(text);
        },
      };
      const withdraw = () => question.answer(undefined);
      signal.addEventListener("abort", withdraw, { once: true });
      this.#open.push(question);
      this.#onAsked();
    });
  }

  /** Gives a message to the oldest question. @returns false if none is open. */
  take(text: string): boolean {
    const [question] = this.#open;
    question?.answer(text);
    return question !== undefined;
  }

  /** Leaves all questions unanswered. */
  cancel(): void {
    for (const question of [...this.#open]) question.answer(undefined);
  }

  /** A secret in a message would stay in the client's history. */
  refuseSecret(title: string): undefined {
    this.#feed.notice(
      "warning",
      title,
      "This is a secret, which can't be asked for here. Set it in a file or in the environment.",
    );
    return undefined;
  }
}
