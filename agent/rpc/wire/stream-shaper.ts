import type { MessageUpdate } from "../../loop/loop-host.ts";
import type { StreamStep } from "../../loop/message-builder.ts";
import type { StreamShape } from "../../protocol/commands.ts";

/** In `full` mode every update holds the message twice, so updates of one block keep a distance. */
const SPACING_MS = 16;
const LARGE_SPACING_MS = 100;
const LARGE_MESSAGE_LENGTH = 32 * 1024;

type Delta = Extract<StreamStep, { delta: string }>;

interface HeldDelta {
  step: Delta;
  /** The pieces of the delta, joined when it leaves. */
  pieces: string[];
  update: MessageUpdate;
  timer: NodeJS.Immediate | NodeJS.Timeout | undefined;
}

interface ShaperOptions {
  write(frame: object): void;
  /** True if the host reads too slowly; held deltas then accumulate. */
  isBlocked(): boolean;
  shape: StreamShape;
}

/**
 * Turns steps of a streaming answer into `message_update` frames. Neighbouring deltas of one block become one frame when they came in the same tick,
 * while the host reads too slowly and, in `full` mode, when they come faster than the spacing. Nothing overtakes: whoever writes
 * another frame calls `flush` first.
 */
export class StreamShaper {
  readonly #options: ShaperOptions;
  shape: StreamShape;
  #held: HeldDelta | undefined;
  #block: { index: number; lastWriteAt: number; length: number } | undefined;

  constructor(options: ShaperOptions) {
    this.#options = options;
    this.shape = options.shape;
  }

  update(update: MessageUpdate): void {
    const { step } = update;
    if (!("delta" in step)) {
      this.flush();
      this.#block = { index: step.contentIndex, lastWriteAt: Number.NEGATIVE_INFINITY, length: 0 };
      this.#write(step, update);
      return;
    }
    const held = this.#held;
    if (held !== undefined && held.step.type === step.type && held.step.contentIndex === step.contentIndex) {
      held.pieces.push(step.delta);
      return;
    }
    this.flush();
    const isFirst = this.#block?.index !== step.contentIndex || this.#block.lastWriteAt === Number.NEGATIVE_INFINITY;
    this.#held = { step, pieces: [step.delta], update, timer: undefined };
    this.#schedule(this.#held, isFirst);
  }

  /** Writes what is held, so that another frame may follow. */
  flush(): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    if (held.timer !== undefined) stopTimer(held.timer);
    this.#write({ ...held.step, delta: held.pieces.join("") }, held.update);
  }

  #schedule(held: HeldDelta, isFirst: boolean): void {
    const wait = isFirst || this.shape === "delta" ? 0 : this.#remainingSpacing();
    const leave = () => {
      if (this.#held !== held) return;
      if (this.#options.isBlocked()) held.timer = setTimeout(leave, SPACING_MS);
      else this.flush();
    };
    held.timer = wait <= 0 ? setImmediate(leave) : setTimeout(leave, wait);
  }

  #remainingSpacing(): number {
    const { lastWriteAt = 0, length = 0 } = this.#block ?? {};
    const spacing = length > LARGE_MESSAGE_LENGTH ? LARGE_SPACING_MS : SPACING_MS;
    return lastWriteAt + spacing - performance.now();
  }

  #write(step: StreamStep, update: MessageUpdate): void {
    if (this.shape === "delta") {
      this.#options.write({ type: "message_update", usage: update.usage(), assistantMessageEvent: step });
      return;
    }
    const message = update.snapshot();
    if ("delta" in step) {
      const length = message.content.reduce((sum, block) => sum + contentLength(block), 0);
      this.#block = { index: step.contentIndex, lastWriteAt: performance.now(), length };
    }
    this.#options.write({
      type: "message_update",
      message,
      usage: message.usage,
      assistantMessageEvent: { ...step, partial: message },
    });
  }
}

function contentLength(block: { type: string; text?: string; thinking?: string; arguments?: object }): number {
  return (block.text ?? block.thinking ?? JSON.stringify(block.arguments) ?? "").length;
}

function stopTimer(timer: NodeJS.Immediate | NodeJS.Timeout): void {
  if ("refresh" in timer) clearTimeout(timer);
  else clearImmediate(timer);
}
