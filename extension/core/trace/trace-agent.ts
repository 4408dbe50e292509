import * as z from "zod";
import type { AgentObserver } from "../connection/running-agent.ts";
import { writeNote } from "./notes.ts";
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

/** The beginning of frames whose content is in other frames as well: each request has the whole context, and answers become messages. */
const REPEATED = /^\{"type":"host_model_(?:request|update)"/;

/** The beginning of frames with secrets of the user. */
const SECRET = /^\{(?:"id":"[^"]*",)?"type":"host_secret_/;

const Secret = z.object({ type: z.string(), id: z.string(), action: z.string().optional() });

const Repeated = z.object({ type: z.string(), id: z.string(), modelId: z.string().optional() });

/**
 * Returns a frame as it is kept. Requests to models of the editor repeat the conversation each time, and would soon displace everything else;
 * of them and of the pieces of their answers only the head is kept. Secrets aren't kept at all.
 */
export function traceable(text: string): string {
  if (SECRET.test(text)) return withoutSecret(text);
  if (!REPEATED.test(text)) return text;
  try {
    const head = Repeated.parse(JSON.parse(text));
    return JSON.stringify({ ...head, leftOutChars: text.length });
  } catch {
    return text; // not a frame: readers of the trace want to see it
  }
}

function withoutSecret(text: string): string {
  try {
    return JSON.stringify(Secret.parse(JSON.parse(text)));
  } catch {
    return '{"type":"host_secret","leftOut":true}'; // broken, and still secret
  }
}
