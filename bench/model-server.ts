// A stand-in for the Messages API that answers every request with one long text. It runs as a process of its own, so that its
// work is not counted with the agent's. The length comes from the address: http://127.0.0.1:<port>/400000 answers with
// 400,000 characters. It prints its port and ends when its stdin does.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const DELTA_CHARS = 20;
const WORDS = "The quick brown fox jumps over the lazy dog, then `reads` **two** files again.\n";

const server = createServer((request, response) => {
  request.resume();
  const chars = Number(/^\/(\d+)\//.exec(request.url ?? "")?.[1] ?? 0);
  response.writeHead(200, { "content-type": "text/event-stream" });
  pipeline(Readable.from(answer(chars)), response).catch((error: unknown) => console.error(error));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(String(address.port));
});
process.stdin.resume().once("end", () => process.exit(0));

/** One answer, an event at a time. */
function* answer(chars: number): Generator<string> {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "bench", content: [], stop_reason: null };
  yield sse({ type: "message_start", message: { ...message, stop_sequence: null, usage } });
  yield sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let sent = 0; sent < chars; sent += DELTA_CHARS) {
    yield sse({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: textAt(sent) } });
  }
  yield sse({ type: "content_block_stop", index: 0 });
  const delta = { stop_reason: "end_turn", stop_sequence: null };
  yield sse({ type: "message_delta", delta, usage: { output_tokens: Math.ceil(chars / 4) } });
  yield sse({ type: "message_stop" });
}

function sse(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function textAt(position: number): string {
  const start = position % WORDS.length;
  return (WORDS + WORDS).slice(start, start + DELTA_CHARS);
}
