import type { HostModelPart, HostModelResult } from "../protocol/host-models.ts";
import { ProviderError, type ProviderEvent } from "./provider.ts";
import type { ToolNames } from "./tool-names.ts";

const NO_REASON = "The model didn't respond, and the host gave no reason.";

/** Makes a provider's events of the pieces of one answer. */
export class HostAnswerEvents {
  readonly #names: ToolNames;
  #hasBegun = false;
  #hasCalls = false;
  #next = 0;
  #open: { readonly kind: "text" | "thinking"; readonly index: number } | undefined;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  take(parts: readonly HostModelPart[]): ProviderEvent[] {
    return [...this.#begin(), ...parts.flatMap((part) => this.#takePart(part))];
  }

  /** @throws ProviderError when the answer has failed. */
  end(result: Omit<HostModelResult, "type" | "id">): ProviderEvent[] {
    const { error, errorKind, status, retryAfterMs, stopReason, usage } = result;
    if (error !== undefined || errorKind !== undefined) {
      throw new ProviderError(errorKind ?? "invalid_request", error?.trim() || NO_REASON, { retryAfterMs, status });
    }
    const events: ProviderEvent[] = [...this.#begin(), ...this.#close()];
    if (usage !== undefined) {
      const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
      events.push({ type: "usage", tokens: { input, output, cacheRead, cacheWrite } });
    }
    const usual = this.#hasCalls ? "toolUse" : "stop";
    events.push({ type: "end", stopReason: stopReason === "length" ? "length" : usual });
    return events;
  }

  #begin(): ProviderEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    return [{ type: "start" }];
  }

  #takePart(part: HostModelPart): ProviderEvent[] {
    switch (part.type) {
      case "text": {
        if (part.text === "") return [];
        const { opening, index } = this.#reopen("text");
        return [...opening, { type: "text_delta", index, delta: part.text }];
      }
      case "thinking": {
        if (part.thinking === "") return [];
        const { opening, index } = this.#reopen("thinking");
        return [...opening, { type: "thinking_delta", index, delta: part.thinking }];
      }
      case "toolCall": {
        this.#hasCalls = true;
        const closing = this.#close();
        const index = this.#next++;
        return [
          ...closing,
          { type: "toolcall_start", index, id: part.id, name: this.#names.fromWire(part.name) },
          { type: "toolcall_delta", index, delta: JSON.stringify(part.arguments) },
          { type: "toolcall_end", index },
        ];
      }
    }
  }

  #reopen(kind: "text" | "thinking"): { opening: ProviderEvent[]; index: number } {
    if (this.#open?.kind === kind) return { opening: [], index: this.#open.index };
    const closing = this.#close();
    const index = this.#next++;
    this.#open = { kind, index };
    return { opening: [...closing, { type: kind === "text" ? "text_start" : "thinking_start", index }], index };
  }

  #close(): ProviderEvent[] {
    if (this.#open === undefined) return [];
    const { kind, index } = this.#open;
    this.#open = undefined;
    return [{ type: kind === "text" ? "text_end" : "thinking_end", index }];
  }
}

/** One answer on its way: what came is kept until it is read. */
export class HostAnswer {
  readonly #events: HostAnswerEvents;
  #waiting: ProviderEvent[] = [];
  #outcome: { readonly error: ProviderError | undefined } | undefined;
  #wake: () => void = () => {};

  constructor(names: ToolNames) {
    this.#events = new HostAnswerEvents(names);
  }

  take(parts: readonly HostModelPart[]): void {
    if (this.#outcome !== undefined) return;
    this.#waiting.push(...this.#events.take(parts));
    this.#wake();
  }

  /** The host has told the end. */
  end(result: Omit<HostModelResult, "type" | "id">): void {
    if (this.#outcome !== undefined) return;
    try {
      this.#waiting.push(...this.#events.end(result));
      this.#settle(undefined);
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.#settle(error);
    }
  }

  /** Nothing more comes. */
  fail(error: ProviderError): void {
    if (this.#outcome === undefined) this.#settle(error);
  }

  /** Yields events, in the batches in which they arrive, and throws the error of a failed answer after them. */
  async *batches(): AsyncGenerator<readonly ProviderEvent[], void> {
    for (;;) {
      if (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        yield batch;
      } else if (this.#outcome === undefined) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      } else if (this.#outcome.error === undefined) {
        return;
      } else {
        throw this.#outcome.error;
      }
    }
  }

  #settle(error: ProviderError | undefined): void {
    this.#outcome = { error };
    this.#wake();
  }
}
