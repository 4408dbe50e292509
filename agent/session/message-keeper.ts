import type { LoopEvent } from "../loop/loop-host.ts";
import type { AgentMessage, BashExecutionMessage, CustomMessage } from "../protocol/messages.ts";
import type { Conversation } from "./conversation.ts";
import { recordChangedChoices } from "./record-choices.ts";
import type { SessionOptions } from "./session-options.ts";

interface KeeperOptions {
  options: SessionOptions;
  conversation(): Conversation;
  runSignal(): AbortSignal | undefined;
  isStreaming(): boolean;
  /** A summary is being made. */
  isSummarizing(): boolean;
  /** The conversation is on its way to another place. */
  isMoving(): boolean;
}

/** Adds messages to the conversation: at once, or when they wouldn't interrupt work in progress. */
export class MessageKeeper {
  readonly #options: KeeperOptions;
  #bash: BashExecutionMessage[] = [];
  #custom: CustomMessage[] = [];
  /** True if what is chosen may differ from what the conversation says where it goes on. */
  #hasMoved = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Keeps a finished message and tells so. @returns the message as extensions left it. */
  async keep<Message extends AgentMessage>(message: Message): Promise<Message> {
    const { options, conversation, runSignal } = this.#options;
    const kept = options.hooks === undefined ? message : await options.hooks.messageEnd(message, runSignal());
    if (this.#hasMoved) recordChangedChoices(conversation(), options.selection);
    this.#hasMoved = false;
    conversation().appendMessage(kept);
    options.plan.follow(kept);
    await options.emit({ type: "message_end", message: kept });
    return kept;
  }

  /** Adds a message of an extension without a run; during one when the turn is over. */
  async append(message: CustomMessage): Promise<void> {
    this.#custom.push(message);
    if (!this.#options.isStreaming() && !this.#options.isMoving()) await this.appendHeld();
  }

  /** Adds what the host's shell did; during a run or a summary when that has ended. */
  addBash(message: BashExecutionMessage): void {
    this.#bash.push(message);
    if (!this.#options.isStreaming() && !this.#options.isSummarizing()) this.flushBash();
  }

  /** Tells an event of a run. Messages that may not stand between a call and its result follow the end of the turn. */
  tell(event: LoopEvent): void | Promise<void> {
    const told = this.#options.options.emit(event);
    return event.type === "turn_end" && this.#custom.length > 0 ? this.#followWithHeld(told) : told;
  }

  /** Adds the messages of extensions that wait. */
  async appendHeld(): Promise<void> {
    for (const message of this.#custom.splice(0)) {
      await this.#options.options.emit({ type: "message_start", message });
      await this.keep(message);
    }
  }

  /** Adds what the host's shell did and that waits. */
  flushBash(): void {
    for (const message of this.#bash.splice(0)) this.#options.conversation().appendMessage(message);
  }

  /** The conversation goes on from another entry: the next message says which model and level it is for. */
  moved(): void {
    this.#hasMoved = true;
  }

  /** Another conversation is there: what waits belonged to the old one. */
  clear(): void {
    this.#bash = [];
    this.#custom = [];
    this.#hasMoved = false;
  }

  async #followWithHeld(told: void | Promise<void>): Promise<void> {
    await told;
    await this.appendHeld();
  }
}
