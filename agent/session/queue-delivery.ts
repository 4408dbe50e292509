import type { Delivery, Emit } from "../loop/loop-host.ts";
import { MessageQueue, type OpeningMessage, type QueueName } from "./queue.ts";

interface QueueDeliveryOptions {
  modes: MessageQueue["modes"];
  emit: Emit;
  /** True if a steering message stops running tools. */
  interrupts(): boolean;
}

/** The queues of a session. Hosts fill them, runs empty them, and each visible change sends an event. */
export class QueueDelivery {
  readonly queue: MessageQueue;
  readonly #options: QueueDeliveryOptions;
  readonly #interrupts = new Interrupts();

  constructor(options: QueueDeliveryOptions) {
    this.#options = options;
    this.queue = new MessageQueue(options.modes);
  }

  async add(name: QueueName, message: OpeningMessage): Promise<void> {
    this.queue.add(name, message);
    if (message.role !== "custom") await this.#announce();
    if (name === "steering" && this.#options.interrupts()) this.#interrupts.interrupt();
  }

  /** Empties both queues. @returns what was removed. */
  async clear(): Promise<{ steering: string[]; followUp: string[] }> {
    const removed = this.queue.clear();
    await this.#announce();
    return removed;
  }

  /** Takes the messages that the mode allows; each leaves the lists when it is delivered. */
  take(name: QueueName): Delivery[] {
    return this.queue.take(name).map((item) => ({
      message: item.message,
      announce: () => {
        this.queue.delivered(name, item);
        return item.message.role === "custom" ? undefined : this.#announce();
      },
    }));
  }

  /** Takes steering messages, or follow-ups if there are none. */
  takeAny(): Delivery[] {
    const steering = this.take("steering");
    return steering.length > 0 ? steering : this.take("followUp");
  }

  /** A signal for one batch of tools; to be disposed of at its end. */
  interruptSignal(): { signal: AbortSignal; dispose(): void } {
    return this.#interrupts.signal();
  }

  #announce(): void | Promise<void> {
    return this.#options.emit({ type: "queue_update", ...this.queue.lists() });
  }
}

/** Aborts running tools when a queued message interrupts them. */
class Interrupts {
  readonly #open = new Set<AbortController>();

  /** A signal for one batch of tools; to be disposed of at its end. */
  signal(): { signal: AbortSignal; dispose(): void } {
    const controller = new AbortController();
    this.#open.add(controller);
    return { signal: controller.signal, dispose: () => void this.#open.delete(controller) };
  }

  interrupt(): void {
    for (const controller of this.#open) controller.abort();
  }
}
