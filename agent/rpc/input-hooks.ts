import { z } from "zod";
import type { InputEvent } from "../extensions/extension-events.ts";
import type { ExtensionRunner } from "../extensions/runner.ts";
import { ImageContent } from "../protocol/content.ts";
import { AgentError } from "../protocol/errors.ts";

/** How long a message waits for the handlers; then it goes on as it is. */
const DECISION_LIMIT_MS = 10_000;

const Decision = z.discriminatedUnion("action", [
  z.object({ action: z.literal("continue") }),
  z.object({ action: z.literal("handled") }),
  z.object({ action: z.literal("transform"), text: z.string(), images: z.array(ImageContent).optional() }),
]);

/** What the user said, as it goes on. */
export type Input = Pick<InputEvent, "text" | "images">;

/** Shows what the user says to extensions, one message after the other, before it becomes a message. */
export class InputHooks {
  readonly #runner: ExtensionRunner;
  #abort = new AbortController();
  #last: Promise<unknown> | undefined;

  constructor(runner: ExtensionRunner) {
    this.#runner = runner;
  }

  /** Whether anybody wants to see messages. */
  get isWanted(): boolean {
    return this.#runner.handles("input");
  }

  /**
   * Lets the handlers decide.
   * @returns the message as they left it; undefined when one took it.
   * @throws AgentError aborted after `release`.
   */
  decide(event: Omit<InputEvent, "type" | "source">): Promise<Input | undefined> {
    const abort = this.#abort.signal;
    const earlier = this.#last ?? Promise.resolve();
    const decision = earlier.catch(() => undefined).then(() => this.#decide(event, abort));
    this.#last = decision;
    return decision;
  }

  /** Gives up on messages that are undecided. */
  release(): void {
    this.#abort.abort();
    this.#abort = new AbortController();
  }

  async #decide(input: Omit<InputEvent, "type" | "source">, abort: AbortSignal): Promise<Input | undefined> {
    const event: InputEvent = { ...input, type: "input", source: "rpc" };
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
    await this.#runner.ask(event, take, { signal: AbortSignal.any([abort, AbortSignal.timeout(DECISION_LIMIT_MS)]) });
    if (abort.aborted)
      throw new AgentError("aborted", "The message was aborted before an extension had decided on it.");
    return isHandled ? undefined : { text: event.text, images: event.images };
  }
}
