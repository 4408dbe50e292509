import type { AgentObserver } from "../connection/running-agent.ts";
import { writeNote } from "./notes.ts";
import { traceable } from "./traceable.ts";
import type { WireTrace } from "./wire-trace.ts";

/** Puts what goes over the wire into a trace. */
export function traceAgent(trace: WireTrace): Pick<AgentObserver, "wire"> {
  return { wire: (direction, text) => trace.frame(direction, traceable(text)) };
}

/** The process of the agent has come to another state. */
export function noteProcess(trace: WireTrace, state: string): void {
  trace.note(() => writeNote({ type: "host_process", state }));
}

/** The session has been read, and frames that came meanwhile follow: at the time of the last of them. */
export function noteRead(trace: WireTrace): void {
  trace.note(() => writeNote({ type: "host_read" }), trace.frameAt);
}
