import type { Delivery, RunAdditions, RunHooks } from "../loop/loop-host.ts";
import type { PromptDraft } from "../prompt/prompt-draft.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import { textOf } from "./message-text.ts";
import type { OpeningMessage } from "./queue.ts";

/** The start of a run, apart from its opening message. */
export class RunOpening {
  readonly #hooks: RunHooks | undefined;
  readonly #notes: () => CustomMessage[];
  #waiting: CustomMessage[] = [];
  #systemPrompt: string | undefined;

  /** @param notes returns what the model is told beside a message of the user. */
  constructor(hooks: RunHooks | undefined, notes: () => CustomMessage[]) {
    this.#hooks = hooks;
    this.#notes = notes;
  }

  /** The system prompt for the current run only. */
  get systemPrompt(): string | undefined {
    return this.#systemPrompt;
  }

  /** Holds a message until the next prompt. */
  add(message: CustomMessage): void {
    this.#waiting.push(message);
  }

  /** Calls the hooks and takes notes and waiting messages, which keep waiting if an extension starts the run. */
  async take(opening: OpeningMessage, draft: () => PromptDraft, signal: AbortSignal): Promise<Delivery[]> {
    const added = await this.#ask(opening, draft, signal);
    const waiting = opening.role === "user" ? [...this.#notes(), ...this.#waiting.splice(0)] : [];
    return [...waiting, ...(added?.messages ?? [])].map((message) => ({ message }));
  }

  /** Like `take`, for a repeated request: the messages that hooks add are already in the conversation. */
  async retake(
    opening: OpeningMessage | undefined,
    draft: () => PromptDraft,
    signal: AbortSignal,
  ): Promise<Delivery[]> {
    await this.#ask(opening ?? { role: "custom", content: "" }, draft, signal);
    return [];
  }

  /** Called when the run is over. */
  end(): void {
    this.#systemPrompt = undefined;
  }

  /** Drops the waiting messages. */
  clear(): void {
    this.#waiting = [];
  }

  /** Calls the hooks, and applies the system prompt that they return. */
  async #ask(
    opening: Pick<OpeningMessage, "role" | "content">,
    draft: () => PromptDraft,
    signal: AbortSignal,
  ): Promise<RunAdditions | undefined> {
    const blocks = typeof opening.content === "string" ? [] : opening.content;
    const images = blocks.filter((block) => block.type === "image");
    const isPrompt = opening.role === "user";
    const added = await this.#hooks?.runStart({ isPrompt, text: textOf(opening), images, draft }, signal);
    this.#systemPrompt = added?.systemPrompt;
    return added;
  }
}
