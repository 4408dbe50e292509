import * as z from "zod";
import type { AgentObserver } from "../connection/running-agent.ts";
import { writeNote } from "./notes.ts";
import type { WireTrace } from "./wire-trace.ts";

/** Returns the observer that adds the frames of the wire to a trace. */
export function traceAgent(trace: WireTrace): Pick<AgentObserver, "wire"> {
  const passwords = new PasswordAnswers();
  return { wire: (direction, text) => trace.frame(direction, passwords.hide(direction, traceable(text))) };
}

/** The beginning of a question from the agent, and of an answer to one. */
const QUESTION = /^\{"type":"extension_ui_request"/;
const ANSWER = /^\{"type":"extension_ui_response"/;

const PasswordQuestion = z.object({ id: z.string(), method: z.literal("input"), password: z.literal(true) });
const AnswerHead = z.object({ type: z.string(), id: z.string() });

/** Hides the answers to questions for passwords. */
class PasswordAnswers {
  readonly #asked = new Set<string>();

  hide(direction: "in" | "out", text: string): string {
    if (direction === "in" && QUESTION.test(text)) this.#note(text);
    if (direction === "in" || this.#asked.size === 0 || !ANSWER.test(text)) return text;
    const { data } = AnswerHead.safeParse(jsonOf(text));
    return data !== undefined && this.#asked.has(data.id) ? JSON.stringify(data) : text;
  }

  #note(text: string): void {
    if (!text.includes('"password":true')) return;
    const { data } = PasswordQuestion.safeParse(jsonOf(text));
    if (data !== undefined) this.#asked.add(data.id);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
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

/** The beginning of frames that contain the user's secrets. */
const SECRET = /^\{(?:"id":"[^"]*",)?"type":"host_secret_/;

const Secret = z.object({ type: z.string(), id: z.string(), action: z.string().optional() });

const Repeated = z.object({ type: z.string(), id: z.string(), modelId: z.string().optional() });

/**
 * Returns a frame as it is kept. Requests to models of the editor repeat the conversation each time, and would soon displace everything else;
 * only the beginning of these, and of the pieces of their answers, is stored. Secrets aren't stored at all.
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
