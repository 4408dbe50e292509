import * as z from "zod";

/** The beginning of frames whose content is in other frames as well: each request has the whole context, and answers become messages. */
const REPEATED = /^\{"type":"host_model_(?:request|update)"/;

const Repeated = z.object({ type: z.string(), id: z.string(), modelId: z.string().optional() });

/**
 * Returns a frame as it is kept. Requests to models of the editor repeat the conversation each time, and would soon displace everything else;
 * of them and of the pieces of their answers only the head is kept.
 */
export function traceable(text: string): string {
  if (!REPEATED.test(text)) return text;
  try {
    const head = Repeated.parse(JSON.parse(text));
    return JSON.stringify({ ...head, leftOutChars: text.length });
  } catch {
    return text; // not a frame: readers of the trace want to see it
  }
}
