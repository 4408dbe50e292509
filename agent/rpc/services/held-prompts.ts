import type { Emit } from "../../loop/loop-host.ts";
import type { ImageContent } from "../../protocol/content.ts";
import { labelOf, userMessage } from "../../session/queue.ts";
import type { Session } from "../../session/session.ts";
import { type Deferred, deferred } from "../../util/deferred.ts";
import type { Lanes } from "../wire/lanes.ts";
import type { Input } from "./input-hooks.ts";

interface HeldPrompt {
  text: string;
  images: readonly ImageContent[];
  /** False while extensions haven't decided about it. */
  isDecided: boolean;
  /** Settles when the prompt's response is written: nothing of its run may come before that. */
  answered: Deferred<void>;
}

/** Prompts that will not run. */
export interface DroppedPrompts {
  texts: string[];
  /** Tells the host of each that no run follows, once no other run is active: what ends in the middle of that one would seem to be its end. */
  release(): Promise<void>;
}

interface HeldPromptsOptions {
  session: Session;
  lanes: Lanes;
  emit: Emit;
}

/**
 * Prompts that were accepted while a compaction or a change of session had the lane. Each runs by itself, in the order of arrival, once
 * the lane is free and no run is active; if the session was replaced meanwhile it runs in the new one.
 */
export class HeldPrompts {
  readonly #options: HeldPromptsOptions;
  readonly #waiting = new Set<HeldPrompt>();

  constructor(options: HeldPromptsOptions) {
    this.#options = options;
  }

  /** True if a prompt whose run hasn't begun is waiting. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Takes a prompt. @returns to be called when it was answered. */
  add(text: string, images: readonly ImageContent[]): () => void {
    const prompt = { text, images, isDecided: true, answered: deferred<void>() };
    this.#waiting.add(prompt);
    this.#startInTurn();
    return () => prompt.answered.resolve();
  }

  /**
   * Adds a prompt that extensions haven't decided on. If an extension takes it, no run follows, and the host learns
   * this.
   * @param text what was said, as it is listed when the prompt is dropped.
   * @returns to be called when it was answered.
   */
  addUndecided(text: string, decision: Promise<Input | undefined>): () => void {
    const prompt: HeldPrompt = { text, images: [], isDecided: false, answered: deferred<void>() };
    this.#waiting.add(prompt);
    const decide = (input: Input | undefined) => {
      if (!this.#waiting.has(prompt)) return;
      if (input === undefined) {
        this.#waiting.delete(prompt);
        void this.#release([prompt], false);
        return;
      }
      Object.assign(prompt, { ...input, isDecided: true });
      this.#startInTurn();
    };
    decision.then(decide, () => undefined); // whoever gives up on the decision drops the prompt
    return () => prompt.answered.resolve();
  }

  /** Takes note of the prompts that extensions have not decided on. @returns forgets those on which they still have not. */
  undecided(): () => DroppedPrompts {
    const noted = [...this.#waiting].filter(({ isDecided }) => !isDecided);
    return () => this.#drop(noted.filter((prompt) => this.#waiting.has(prompt) && !prompt.isDecided));
  }

  /** Forgets all prompts that wait. */
  drop(): DroppedPrompts {
    return this.#drop([...this.#waiting]);
  }

  #drop(prompts: readonly HeldPrompt[]): DroppedPrompts {
    for (const prompt of prompts) this.#waiting.delete(prompt);
    return {
      texts: prompts.map(({ text, images }) => labelOf(userMessage(text, images))),
      release: () => this.#release(prompts, true),
    };
  }

  /** Tells the host that no run follows, after the responses to the prompts, and not during another run. */
  async #release(prompts: readonly HeldPrompt[], aborted: boolean): Promise<void> {
    for (const { answered } of prompts) {
      await answered.promise;
      await this.#options.session.runEnded();
      await this.#options.emit({ type: "agent_settled", aborted });
    }
  }

  #startInTurn(): void {
    void this.#options.lanes.run("lane", () => this.#startFirst());
  }

  /** Starts the prompt that has waited longest; a later one may have come into the lane before it. */
  async #startFirst(): Promise<void> {
    const { session } = this.#options;
    const prompt = [...this.#waiting].find(({ isDecided }) => isDecided);
    if (prompt === undefined) return;
    await prompt.answered.promise;
    if (session.isStreaming) {
      void session.runEnded().then(() => this.#startInTurn()); // the lane is not held up by a run
      return;
    }
    if (this.#waiting.delete(prompt)) session.accept(prompt.text, prompt.images)();
  }
}
