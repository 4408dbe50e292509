import type { EventWatcher } from "../../extensions/watcher.ts";
import type { LoopEvent } from "../../loop/loop-host.ts";
import type { StreamShape } from "../../protocol/commands.ts";
import type { FrameSink } from "./host-wire.ts";
import { StreamShaper } from "./stream-shaper.ts";

/** Events that a filter never hides: a host could not tell any more where a run ends. */
const ALWAYS_WRITTEN: ReadonlySet<string> = new Set(["agent_start", "agent_end", "agent_settled", "extension_error"]);

/** Everything that leaves: frames as they are, events in the shape and the selection that the host wants. */
export class Output {
  readonly #writer: FrameSink;
  readonly #shaper: StreamShaper;
  #filter: ReadonlySet<string> | undefined;
  /** The watcher that sees events before they are written. */
  watcher: EventWatcher | undefined;
  /** The end of the last event that waits for the watcher. */
  #lastTurn: Promise<void> | undefined;
  /** Called after an event was written, or filtered out. */
  onEmitted: ((event: LoopEvent) => void) | undefined;

  constructor(writer: FrameSink, shape: StreamShape) {
    this.#writer = writer;
    this.#shaper = new StreamShaper({
      shape,
      write: (frame) => writer.write(frame),
      isBlocked: () => writer.isBlocked,
    });
  }

  get shape(): StreamShape {
    return this.#shaper.shape;
  }

  /** Takes effect with the next update. */
  setShape(shape: StreamShape): void {
    this.#shaper.flush();
    this.#shaper.shape = shape;
  }

  /** Only events of these types are written from here on; null means all. */
  setFilter(types: readonly string[] | null): void {
    this.#filter = types === null ? undefined : new Set(types);
  }

  /** Writes a frame that no filter concerns. */
  write(frame: object): void {
    this.#shaper.flush();
    this.#writer.write(frame);
  }

  /** Writes an event once the watcher has seen it; events stay in order. */
  emit(event: LoopEvent): void | Promise<void> {
    const { watcher } = this;
    const isDirect = watcher === undefined || watcher.isInside || (!this.#lastTurn && !watcher.wants(event));
    if (isDirect) return this.#tell(event);
    const turn = (this.#lastTurn ?? Promise.resolve()).then(() => watcher.see(event)).then(() => this.#tell(event));
    this.#lastTurn = turn;
    return turn.then(() => {
      if (this.#lastTurn === turn) this.#lastTurn = undefined;
    });
  }

  /** Writes an event without the watcher, because it happened while the watcher saw another one. */
  emitAtOnce(event: LoopEvent): void {
    this.#tell(event);
  }

  /** True if the host has so much unread output that notices are dropped. */
  get isFull(): boolean {
    return this.#writer.isFull;
  }

  /** Resolves when the host has read enough for more to be produced; undefined when nothing need wait. */
  ready(): Promise<void> | undefined {
    return this.#writer.ready();
  }

  #tell(event: LoopEvent): void {
    this.#writeEvent(event);
    this.onEmitted?.(event);
  }

  #writeEvent(event: LoopEvent): void {
    if (this.#filter !== undefined && !this.#filter.has(event.type) && !ALWAYS_WRITTEN.has(event.type)) return;
    if (event.type === "message_update") this.#shaper.update(event);
    else this.write(event);
  }
}
