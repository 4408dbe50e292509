import type { QueueMode } from "../protocol/commands.ts";
import type { ImageContent } from "../protocol/content.ts";
import type { CustomMessage, UserMessage } from "../protocol/messages.ts";
import { textOf } from "./message-text.ts";

/** A message that can start a run or wait in a queue. */
export type OpeningMessage = UserMessage | CustomMessage;

/** A waiting message, and its text in the lists. */
interface QueuedMessage {
  message: OpeningMessage;
  label: string;
}

/** The texts of both queues, as `queue_update` shows them. */
export interface QueueLists {
  steering: string[];
  followUp: string[];
}

export type QueueName = "steering" | "followUp";

/**
 * The two queues of user messages. A taken message stays in the lists until it is delivered, so that the lists for
 * hosts shrink one message at a time.
 */
export class MessageQueue {
  readonly #waiting: Record<QueueName, QueuedMessage[]> = { steering: [], followUp: [] };
  readonly #taken: Record<QueueName, QueuedMessage[]> = { steering: [], followUp: [] };
  readonly modes: Record<QueueName, QueueMode>;

  constructor(modes: Record<QueueName, QueueMode>) {
    this.modes = { ...modes };
  }

  get length(): number {
    const { steering, followUp } = this.lists();
    return steering.length + followUp.length;
  }

  /** True if a message waits that no run has taken yet. */
  get hasWaiting(): boolean {
    return this.#waiting.steering.length + this.#waiting.followUp.length > 0;
  }

  /** Returns the messages that hosts see, without those of extensions. */
  lists(): QueueLists {
    const labels = (name: QueueName) => labelsOf([...this.#taken[name], ...this.#waiting[name]]);
    return { steering: labels("steering"), followUp: labels("followUp") };
  }

  /** The queued messages, in the order of their delivery. */
  waiting(): OpeningMessage[] {
    return [...this.#waiting.steering, ...this.#waiting.followUp].map(({ message }) => message);
  }

  add(name: QueueName, message: OpeningMessage): void {
    this.#waiting[name].push({ message, label: labelOf(message) });
  }

  /** Takes the next message, or all of them, depending on the mode. Each must be handed to `delivered`. */
  take(name: QueueName): QueuedMessage[] {
    const waiting = this.#waiting[name];
    const taken = waiting.splice(0, this.modes[name] === "all" ? waiting.length : 1);
    this.#taken[name].push(...taken);
    return taken;
  }

  /** Removes a taken message from the lists when it is delivered. */
  delivered(name: QueueName, item: QueuedMessage): void {
    this.#taken[name] = this.#taken[name].filter((other) => other !== item);
  }

  /** Empties both queues. @returns what was removed. */
  clear(): QueueLists {
    const removed = {
      steering: labelsOf(this.#waiting.steering),
      followUp: labelsOf(this.#waiting.followUp),
    };
    this.#waiting.steering = [];
    this.#waiting.followUp = [];
    return removed;
  }
}

function labelsOf(items: readonly QueuedMessage[]): string[] {
  return items.flatMap(({ message, label }) => (message.role === "custom" ? [] : [label]));
}

/** Returns a user message. */
export function userMessage(text: string, images: readonly ImageContent[]): UserMessage {
  const blocks = text === "" ? [] : [{ type: "text" as const, text }];
  return { role: "user", content: [...blocks, ...images], timestamp: Date.now() };
}

/** Returns the listed text of a queued message. */
export function labelOf(message: OpeningMessage): string {
  return textOf(message) || "[Image]";
}
