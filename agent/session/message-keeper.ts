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
  /** True while a summary is in progress. */
  isSummarizing(): boolean;
  /** True while the conversation moves to another entry. */
  isMoving(): boolean;
}

/** Adds messages to the conversation: at once, or when they wouldn't interrupt work in progress. */
export class MessageKeeper {
  readonly #options: KeeperOptions;
  #bash: BashExecutionMessage[] = [];
  #custom: CustomMessage[] = [];
  /** True if the selected model and level may differ from those at the entry where the conversation continues. */
  #hasMoved = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Saves a finished message and sends the event. @returns the message after the changes of extensions. */
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

  /** Adds a message of an extension without a run; during a run, after the turn. */
  async append(message: CustomMessage): Promise<void> {
    this.#custom.push(message);
    if (!this.#options.isStreaming() && !this.#options.isMoving()) await this.appendHeld();
  }

  /** Adds the result of the host's shell command, after an active run or summary. */
  addBash(message: BashExecutionMessage): void {
    this.#bash.push(message);
    if (!this.#options.isStreaming() && !this.#options.isSummarizing()) this.flushBash();
  }

  /** Sends an event of a run. Messages that must not come between a call and its result follow the end of the turn. */
  tell(event: LoopEvent): void | Promise<void> {
    const told = this.#options.options.emit(event);
    return event.type === "turn_end" && this.#custom.length > 0 ? this.#followWithHeld(told) : told;
  }

  /** Adds the waiting messages of extensions. */
  async appendHeld(): Promise<void> {
    for (const message of this.#custom.splice(0)) {
      await this.#options.options.emit({ type: "message_start", message });
      await this.keep(message);
    }
  }

  /** Adds the waiting results of the host's shell commands. */
  flushBash(): void {
    for (const message of this.#bash.splice(0)) this.#options.conversation().appendMessage(message);
  }

  /** Called when the conversation continues from another entry: the next message records its model and level. */
  moved(): void {
    this.#hasMoved = true;
  }

  /** Drops the waiting messages, which belong to an earlier conversation. */
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
