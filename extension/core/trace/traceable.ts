import * as z from "zod";

/** How a frame begins whose content stands in other frames as well: the whole context with each request, and answers that become messages. */
const REPEATED = /^\{"type":"host_model_(?:request|update)"/;

const Repeated = z.object({ type: z.string(), id: z.string(), modelId: z.string().optional() });

/**
 * A frame as it is kept. Requests to models of the editor repeat the conversation each time, and would soon push out everything else; of them
 * and of the pieces of their answers only the frame's head is kept.
 */
export function traceable(text: string): string {
  if (!REPEATED.test(text)) return text;
  try {
    const head = Repeated.parse(JSON.parse(text));
    return JSON.stringify({ ...head, leftOutChars: text.length });
  } catch {
    return text; // no frame after all: whoever reads the trace wants to see it
  }
}
