import type { CommandInput, CommandResult } from "../../agent/protocol/commands.ts";
import { t } from "../../webview/l10n.ts";
import type { ContextAttachment } from "../../webview/protocol/context.ts";
import type { Delivery, ImageAttachment, Prompt } from "../../webview/protocol/draft.ts";
import type { QueueEdit } from "../../webview/protocol/ui.ts";
import { joinPrompt, splitPrompt } from "../core/mentions/prompt-blocks.ts";
import { changeQueue, IMAGE_LABEL, type WaitingMessage, type WaitingMessages } from "./queue-change.ts";

/** The environment of the outbox. */
export interface OutboxPorts {
  /** Reads what goes with a message and puts it before the text. */
  compose(text: string, contexts: readonly ContextAttachment[]): Promise<string>;
  /** @param onAnswer called before later events of the agent. */
  prompt(
    params: CommandInput<"prompt">,
    onAnswer?: (answer: CommandResult<"prompt">) => void,
  ): Promise<CommandResult<"prompt">>;
  clearQueue(): Promise<CommandResult<"clear_queue">>;
  /** Returns the queued texts that the agent last reported. */
  waiting(): { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  /** Appends text and images to the composer. */
  giveBack(text: string, images: readonly ImageAttachment[]): void;
  /** Reports an error to the user. */
  failed(text: string, error: unknown): void;
  /** Tells the user the fate of a message. */
  tell(text: string): void;
}

/** Messages on their way to the agent, and those queued there. What cannot be delivered returns to the composer. */
export class Outbox {
  readonly #ports: OutboxPorts;
  /** Queued messages with images: the agent lists only their texts. */
  #withImages: readonly WaitingMessage[] = [];
  /** The message of a run that is about to begin, which is not in the conversation yet. */
  #opening: Pick<Prompt, "text" | "images"> | undefined;
  /** Attachments are read and the queue is changed one after the other; nothing is sent in between. */
  #lane: Promise<unknown> = Promise.resolve();

  constructor(ports: OutboxPorts) {
    this.#ports = ports;
  }

  /** Resolves when everything before has been sent. */
  get turn(): Promise<unknown> {
    return this.#lane;
  }

  /** Sends a prompt, after what goes with it has been read; it waits in a queue when a run goes on. */
  async prompt(prompt: Prompt): Promise<void> {
    let whole = prompt;
    const read = async () => {
      whole = await this.compose(prompt);
    };
    const ready = prompt.contexts?.length ? this.#inLane(read) : this.#lane;
    // Its answer is not waited for by the messages behind it.
    const sent = ready.then(() => this.#deliver(whole));
    try {
      await sent;
    } catch (error) {
      this.#ports.giveBack(whole.text, whole.images ?? []);
      this.#ports.failed(t("Couldn't send the message."), error);
    }
  }

  /** Reads what goes with a prompt into its text. */
  async compose({ contexts = [], ...prompt }: Prompt): Promise<Prompt> {
    return contexts.length === 0 ? prompt : { ...prompt, text: await this.#ports.compose(prompt.text, contexts) };
  }

  /** Called when the run's message is in the conversation. */
  runStarted(): void {
    this.#opening = undefined;
  }

  /** Returns the message to the composer if the run was stopped before it began. */
  runSettled(): void {
    if (this.#opening !== undefined) this.#ports.giveBack(this.#opening.text, this.#opening.images ?? []);
    this.#opening = undefined;
  }

  /** Moves all queued messages back into the composer. */
  clearQueue(): Promise<void> {
    return this.#inLane(async () => {
      const taken = await this.#takeAll(t("Couldn't move the queued messages to the input."));
      if (taken !== undefined) this.#giveBack([...taken.steering, ...taken.followUp]);
    });
  }

  /**
   * Changes one queued message. There is no command for it: the queue is taken back and sent again in its new order. What is refused on the way
   * goes into the composer; if the run ends in between, the first message starts a new one.
   */
  editQueue(edit: QueueEdit): Promise<void> {
    return this.#inLane(async () => {
      if (!this.#knowsAllImages()) {
        this.#ports.tell(t("The queue has an image from another client, so you can't change the queue here."));
        return;
      }
      const taken = await this.#takeAll(t("Couldn't change the queue."));
      if (taken === undefined) return;
      const changed = changeQueue(taken, edit);
      if (changed === undefined) this.#tellGone(edit);
      await this.#sendAll(changed ?? taken);
    });
  }

  /** Returns an unsent message to the composer. */
  giveBack(text: string, images: readonly ImageAttachment[]): void {
    this.#ports.giveBack(text, images);
  }

  /** Returns the queued messages to the composer, since the connection is closed. */
  disconnected(): void {
    const { steering, followUp } = this.#addImages(this.#ports.waiting());
    this.#giveBack([...steering, ...followUp]);
    this.#withImages = [];
    this.#opening = undefined;
  }

  #inLane(work: () => Promise<void>): Promise<void> {
    const done = this.#lane.then(work);
    this.#lane = done.catch(() => {}); // the caller handles the error
    return done;
  }

  async #deliver({ text, images = [], delivery }: Prompt): Promise<void> {
    const { disposition } = await this.#ports.prompt(wirePrompt(text, images, delivery), (answer) => {
      if (answer.disposition === "started") this.#opening = { text, images };
    });
    if (disposition !== "queued" || images.length === 0) return;
    // The agent reports the queue before it answers; a template is listed with its text.
    const label = this.#ports.waiting()[delivery === "steer" ? "steering" : "followUp"].at(-1) ?? text;
    const { steering, followUp } = this.#ports.waiting();
    const still = this.#withImages.filter((one) => steering.includes(one.label) || followUp.includes(one.label));
    this.#withImages = [...still, { label, images }];
  }

  async #takeAll(failure: string): Promise<WaitingMessages | undefined> {
    try {
      return this.#addImages(await this.#ports.clearQueue());
    } catch (error) {
      this.#ports.failed(failure, error);
      return undefined;
    }
  }

  /** Writes all commands at once, so that as little as possible comes in between. */
  async #sendAll({ steering, followUp }: WaitingMessages): Promise<void> {
    const all = [
      ...steering.map((message) => ({ message, delivery: "steer" as const })),
      ...followUp.map((message) => ({ message, delivery: "followUp" as const })),
    ];
    const refused: WaitingMessage[] = [];
    let reason: unknown;
    this.#withImages = all.flatMap(({ message }) => (message.images.length === 0 ? [] : [message]));
    const attempts = all.map(({ message, delivery }) =>
      this.#ports.prompt(wirePrompt(textOf(message), message.images, delivery)).catch((error: unknown) => {
        refused.push(message);
        reason ??= error;
      }),
    );
    await Promise.all(attempts);
    if (refused.length === 0) return;
    this.#giveBack(refused);
    this.#ports.failed(t("Couldn't resend a queued message. It's back in the input."), reason);
  }

  #knowsAllImages(): boolean {
    const { steering, followUp } = this.#addImages(this.#ports.waiting());
    return [...steering, ...followUp].every(({ label, images }) => label !== IMAGE_LABEL || images.length > 0);
  }

  /** Adds to the texts of the queue the images that were sent with them. */
  #addImages(lists: { readonly steering: readonly string[]; readonly followUp: readonly string[] }): WaitingMessages {
    const left = [...this.#withImages];
    const find = (label: string): WaitingMessage => {
      const at = left.findIndex((one) => one.label === label);
      const [found] = at === -1 ? [] : left.splice(at, 1);
      return found ?? { label, images: [] };
    };
    return { steering: lists.steering.map(find), followUp: lists.followUp.map(find) };
  }

  #tellGone(edit: QueueEdit): void {
    this.#ports.tell(t("The agent has already read this message."));
    if (edit.op === "replace") this.#ports.giveBack(edit.text, []);
  }

  #giveBack(messages: readonly WaitingMessage[]): void {
    if (messages.length === 0) return;
    const parts = messages.map((message) => splitPrompt(textOf(message)));
    const text = parts.map((part) => part.text).filter((one) => one !== "");
    this.#ports.giveBack(
      joinPrompt(
        parts.flatMap(({ blocks }) => blocks),
        text.join("\n\n"),
      ),
      messages.flatMap(({ images }) => images),
    );
  }
}

function textOf({ label, images }: WaitingMessage): string {
  return label === IMAGE_LABEL && images.length > 0 ? "" : label;
}

/** A prompt as the agent takes it. */
function wirePrompt(
  message: string,
  images: readonly ImageAttachment[],
  streamingBehavior: Delivery,
): CommandInput<"prompt"> {
  if (images.length === 0) return { message, streamingBehavior };
  return {
    message,
    streamingBehavior,
    images: images.map(({ data, mimeType }) => ({ type: "image", data, mimeType })),
  };
}
