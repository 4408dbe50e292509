import { errorMessage } from "../protocol/errors.ts";

/** Tracks whether changes can be recorded. When they can't, the agent continues, and the user sees each reason once. */
export class RecordingTrouble {
  readonly #tell: (reason: string | undefined, isNews: boolean) => void;
  #reason: string | undefined;
  #lastReason: string | undefined;

  /** @param tell is called with the reason, and true if that is new; with undefined when recording works again. */
  constructor(tell: (reason: string | undefined, isNews: boolean) => void) {
    this.#tell = tell;
  }

  /** The reason why the last change was not recorded; undefined when it was. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** Prepares for a change. Never rejects: a change that cannot be undone is better than an agent that cannot work. */
  async prepare(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#failed(error));
  }

  /** Records a change. Never rejects. */
  async record(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#failed(error);
      return;
    }
    if (this.#reason === undefined) return;
    this.#reason = undefined;
    this.#tell(undefined, false);
  }

  #failed(error: unknown): void {
    this.#reason = errorMessage(error);
    const isNews = this.#reason !== this.#lastReason;
    this.#lastReason = this.#reason;
    this.#tell(this.#reason, isNews);
  }
}
