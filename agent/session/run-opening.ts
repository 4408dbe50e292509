import type { Delivery, RunHooks } from "../loop/loop-host.ts";
import type { PromptDraft } from "../prompt/prompt-draft.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { textOf } from "./message-text.ts";
import type { OpeningMessage } from "./queue.ts";

/** What stands at the beginning of a run beside the message that opens it. */
export class RunOpening {
  readonly #hooks: RunHooks | undefined;
  #waiting: CustomMessage[] = [];
  #systemPrompt: string | undefined;

  constructor(hooks: RunHooks | undefined) {
    this.#hooks = hooks;
  }

  /** A system prompt that holds for the present run only. */
  get systemPrompt(): string | undefined {
    return this.#systemPrompt;
  }

  /** Keeps a message until the next run begins. */
  add(message: CustomMessage): void {
    this.#waiting.push(message);
  }

  /** Lets the hooks have their say and takes what waits. */
  async take(opening: OpeningMessage, draft: () => PromptDraft, signal: AbortSignal): Promise<Delivery[]> {
    const blocks = typeof opening.content === "string" ? [] : opening.content;
    const images = blocks.filter((block) => block.type === "image");
    const added = await this.#hooks?.runStart({ text: textOf(opening), images, draft }, signal);
    this.#systemPrompt = added?.systemPrompt;
    return [...this.#waiting.splice(0), ...(added?.messages ?? [])].map((message) => ({ message }));
  }

  /** The run is over. */
  end(): void {
    this.#systemPrompt = undefined;
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
  }
}
