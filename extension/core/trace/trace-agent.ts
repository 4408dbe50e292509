import type { AgentObserver } from "../connection/running-agent.ts";
import { writeNote } from "./notes.ts";
import { traceable } from "./traceable.ts";
import type { WireTrace } from "./wire-trace.ts";

/** Returns the observer that adds the frames of the wire to a trace. */
export function traceAgent(trace: WireTrace): Pick<AgentObserver, "wire"> {
  return { wire: (direction, text) => trace.frame(direction, traceable(text)) };
}

/** Notes a new state of the agent's process. */
export function noteProcess(trace: WireTrace, state: string): void {
  trace.note(() => writeNote({ type: "host_process", state }));
}

/** Notes that the session was read, at the time of the last held frame; the held frames follow. */
export function noteRead(trace: WireTrace): void {
  trace.note(() => writeNote({ type: "host_read" }), trace.frameAt);
}
