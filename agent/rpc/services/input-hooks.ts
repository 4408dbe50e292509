import * as z from "zod";
import type { InputEvent } from "../../extensions/extension-events.ts";
import type { ExtensionRunner } from "../../extensions/runner.ts";
import { ImageContent } from "../../protocol/content.ts";
import { AgentError } from "../../protocol/errors.ts";
import { atMost } from "../../util/at-most.ts";

/** How long a message, and the messages after it, wait for handlers. */
const DECISION_LIMIT_MS = 10_000;

const Decision = z.lazy(() =>
  z.discriminatedUnion("action", [
    z.object({ action: z.literal("continue") }),
    z.object({ action: z.literal("handled") }),
    z.object({ action: z.literal("transform"), text: z.string(), images: z.array(ImageContent).optional() }),
  ]),
);

/** The user's message after the handlers. */
export type Input = Pick<InputEvent, "text" | "images">;

/** A message that is shown to extensions. */
export type ShownInput = Omit<InputEvent, "type">;

/** Shows the user's messages to extensions, one after another, before they become part of the conversation. */
export class InputHooks {
  readonly #runner: ExtensionRunner;
  /** One for each message that is undecided. */
  readonly #undecided = new Set<AbortController>();
  #last: Promise<void> = Promise.resolve();

  constructor(runner: ExtensionRunner) {
    this.#runner = runner;
  }

  /** True if anybody wants to see messages. */
  get isWanted(): boolean {
    return this.#runner.handles("input");
  }

  /**
   * Waits for the handlers, without a time limit.
   * @returns the message as they left it; undefined when one took it.
   * @throws AgentError aborted after `release`.
   */
  decide(input: ShownInput): Promise<Input | undefined> {
    const abort = new AbortController();
    this.#undecided.add(abort);
    const decided = this.#last.then(() => this.#decide(input, abort.signal));
    const decision = decided.finally(() => this.#undecided.delete(abort));
    this.#last = atMost(decision, DECISION_LIMIT_MS);
    return decision;
  }

  /** Like `decide`; a message that is undecided when the time is up continues unchanged. */
  async decideInTime(input: ShownInput): Promise<Input | undefined> {
    const decision = this.decide(input);
    return (await this.isInTime(decision)) ? decision : { text: input.text, images: input.images };
  }

  /** Waits for a decision. @returns false when the time is over; it may still come then. */
  async isInTime(decision: Promise<unknown>): Promise<boolean> {
    let isDecided = false;
    const decided = () => {
      isDecided = true;
    };
    await atMost(decision.then(decided, decided), DECISION_LIMIT_MS);
    return isDecided;
  }

  /** Gives up on messages that are undecided. */
  release(): void {
    this.undecided()();
  }

  /** Takes note of the messages that are undecided now. @returns gives up on those that still are. */
  undecided(): () => void {
    const noted = [...this.#undecided];
    return () => {
      for (const abort of noted) abort.abort(); // it changes nothing for one that is decided
    };
  }

  async #decide(input: ShownInput, signal: AbortSignal): Promise<Input | undefined> {
    const event: InputEvent = { ...input, type: "input" };
    let isHandled = false;
    const take = (result: unknown) => {
      const { data } = Decision.safeParse(result);
      if (data?.action === "transform") {
        event.text = data.text;
        if (data.images !== undefined) event.images = data.images;
      }
      isHandled = data?.action === "handled";
      return isHandled;
    };
    if (!signal.aborted) await this.#runner.ask(event, take, { signal });
    if (signal.aborted) {
      throw new AgentError("aborted", "The message was aborted before an extension had decided on it.");
    }
    return isHandled ? undefined : { text: event.text, images: event.images };
  }
}
