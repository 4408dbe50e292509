import type { LoopEvent } from "../loop/loop-host.ts";
import { withTimeLimit } from "../util/with-time-limit.ts";
import type { ExtensionRunner } from "./runner.ts";

/** The time that the end of a run waits for handlers. */
const SETTLED_LIMIT_MS = 10_000;

/** Somebody who sees events before hosts do. */
export interface EventWatcher {
  /** True if the caller is code of the watcher itself: its events wait for nobody, least of all for it. */
  readonly isInside: boolean;
  wants(event: LoopEvent): boolean;
  /** Never rejects. */
  see(event: LoopEvent): Promise<void>;
}

/**
 * Tells extensions what a run does.
 * @param runSignal aborts when the run does: nobody waits any more for a handler that hangs.
 */
export function createWatcher(runner: ExtensionRunner, runSignal: () => AbortSignal | undefined): EventWatcher {
  let turnIndex = 0;
  const count = ({ type }: LoopEvent) => {
    if (type === "agent_start") turnIndex = 0;
    else if (type === "turn_end") turnIndex++;
  };
  return {
    get isInside() {
      return runner.isInside;
    },
    wants(event) {
      const isWanted = !isAsked(event) && runner.handles(event.type);
      if (!isWanted) count(event);
      return isWanted;
    },
    async see(event) {
      const limit = event.type === "agent_settled" ? withTimeLimit(runSignal(), SETTLED_LIMIT_MS) : undefined;
      const signal = limit?.signal ?? runSignal();
      const turn = event.type === "turn_start" ? { turnIndex, timestamp: Date.now() } : {};
      if (!isAsked(event)) await runner.ask({ ...toTold(event), ...turn }, () => false, { signal });
      limit?.end();
      count(event);
    },
  };
}

/** True for an event whose handlers were already asked before it. */
function isAsked({ type }: LoopEvent): boolean {
  return type === "message_end" || type === "turn_end";
}

/** An event as extensions see it; updates carry the message so far. */
function toTold(event: LoopEvent): { type: string } {
  if (event.type !== "message_update") return event;
  const message = event.snapshot();
  const told = { type: event.type, message, assistantMessageEvent: { ...event.step, partial: message } };
  return told;
}
