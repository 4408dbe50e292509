import { errorMessage } from "../protocol/errors.ts";

type Listener = (data: unknown) => unknown;

/** Carries messages between extensions. A listener that throws does not affect the others. */
export class EventBus {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #onError: (channel: string, error: string) => void;

  constructor(onError: (channel: string, error: string) => void) {
    this.#onError = onError;
  }

  emit(channel: string, data: unknown): void {
    for (const listener of [...(this.#listeners.get(channel) ?? [])]) void this.#call(listener, channel, data);
  }

  /** @returns ends the listening. */
  on(channel: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  async #call(listener: Listener, channel: string, data: unknown): Promise<void> {
    try {
      await listener(data);
    } catch (error) {
      this.#onError(channel, errorMessage(error));
    }
  }
}
