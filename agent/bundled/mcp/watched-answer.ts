import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";

/** The limit of an answer, and of an event in a stream; the same as that of a message on stdout. */
const MAX_BYTES = 32 * 1024 * 1024;
const MAX_MEGABYTES = MAX_BYTES / 1024 / 1024;
const BLANK_LINES = ["\n\n", "\r\r", "\n\r\n"];

/** Thrown when a server sends more than the limit. */
export class AnswerTooLong extends Error {
  override readonly name = "AnswerTooLong";

  constructor() {
    super(`its answer has more than ${MAX_MEGABYTES} MB.`);
  }
}

/** Creates a fetch that limits the size of answers. */
export function limitAnswers(fetch: FetchLike): FetchLike {
  return async (url, init) => watchAnswer(await fetch(url, init));
}

/**
 * Returns an answer whose body fails with AnswerTooLong when it is too long. @param onEnd is called when the body has ended,
 * with the error if it failed.
 */
export function watchAnswer(answer: Response, onEnd: (error?: unknown) => void = () => undefined): Response {
  const { body, status, statusText, headers } = answer;
  if (body === null || (status >= 300 && status < 400)) return answer; // the SDK reads the address of a redirect
  const reader = body.getReader();
  let isCanceled = false;
  const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
  const count = isStream ? countEvent() : countAll();
  const watched = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isCanceled) return;
        if (!done) {
          count(value);
          return controller.enqueue(value);
        }
        controller.close();
        onEnd();
      } catch (error) {
        controller.error(error);
        onEnd(error);
        await reader.cancel(error).catch(() => undefined); // it has failed already
      }
    },
    cancel(reason) {
      isCanceled = true;
      return reader.cancel(reason);
    },
  });
  return new Response(watched, { status, statusText, headers });
}

function countAll(): (chunk: Uint8Array) => void {
  let bytes = 0;
  return ({ length }) => {
    bytes += length;
    if (bytes > MAX_BYTES) throw new AnswerTooLong();
  };
}

/** Counts the bytes since the last blank line, which ends an event. */
function countEvent(): (chunk: Uint8Array) => void {
  let bytes = 0;
  let tail = Buffer.alloc(0);
  return (chunk) => {
    const joined = Buffer.concat([tail, chunk]);
    tail = joined.subarray(-2);
    const ends = BLANK_LINES.flatMap((line) => (joined.includes(line) ? [joined.lastIndexOf(line) + line.length] : []));
    bytes = ends.length === 0 ? bytes + chunk.length : joined.length - Math.max(...ends);
    if (bytes > MAX_BYTES) throw new AnswerTooLong();
  };
}
