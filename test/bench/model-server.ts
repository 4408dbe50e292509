// A stand-in for the Messages API. It runs as a process of its own, so that its work is not counted with the agent's. What it
// answers comes from the address: http://127.0.0.1:<port>/400000 answers every request with 400,000 characters of text,
// http://127.0.0.1:<port>/turns-200 asks for a file 200 times before it answers. It prints its port and ends when its stdin does.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

const DELTA_CHARS = 20;
const WORDS = "The quick brown fox jumps over the lazy dog, then `reads` **two** files again.\n";

const SHORT_CHARS = 20;

const server = createServer(async (request, response) => {
  const body = await text(request);
  const [, turns] = /^\/turns-(\d+)\//.exec(request.url ?? "") ?? [];
  const [, chars] = /^\/(\d+)\//.exec(request.url ?? "") ?? [];
  response.writeHead(200, { "content-type": "text/event-stream" });
  const asked = turns === undefined ? 0 : body.split('"tool_result"').length - 1;
  const stream = asked < Number(turns ?? 0) ? readCall(asked) : answer(Number(chars ?? SHORT_CHARS));
  pipeline(Readable.from(stream), response).catch((error: unknown) => console.error(error));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") console.log(String(address.port));
});
process.stdin.resume().once("end", () => process.exit(0));

function messageStart(): string {
  const usage = { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "bench", content: [], stop_reason: null };
  return sse({ type: "message_start", message: { ...message, stop_sequence: null, usage } });
}

/** A call of the tool `read`. */
function* readCall(number: number): Generator<string> {
  const call = { type: "tool_use", id: `toolu_${number}`, name: "read", input: {} };
  yield messageStart();
  yield sse({ type: "content_block_start", index: 0, content_block: call });
  const delta = { type: "input_json_delta", partial_json: '{"path":"notes.txt"}' };
  yield sse({ type: "content_block_delta", index: 0, delta });
  yield sse({ type: "content_block_stop", index: 0 });
  yield* messageEnd("tool_use", SHORT_CHARS);
}

function* messageEnd(reason: string, chars: number): Generator<string> {
  const delta = { stop_reason: reason, stop_sequence: null };
  yield sse({ type: "message_delta", delta, usage: { output_tokens: Math.ceil(chars / 4) } });
  yield sse({ type: "message_stop" });
}

/** One answer, an event at a time. */
function* answer(chars: number): Generator<string> {
  yield messageStart();
  yield sse({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let sent = 0; sent < chars; sent += DELTA_CHARS) {
    yield sse({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: textAt(sent) } });
  }
  yield sse({ type: "content_block_stop", index: 0 });
  yield* messageEnd("end_turn", chars);
}

function sse(event: { type: string; [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function textAt(position: number): string {
  const start = position % WORDS.length;
  return (WORDS + WORDS).slice(start, start + DELTA_CHARS);
}
