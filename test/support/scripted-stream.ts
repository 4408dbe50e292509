import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { signThinking } from "./messages-api-rules.ts";
import type { Citation } from "./messages-api-search.ts";
import type { MessageReply, ScriptedBlock } from "./scripted-replies.ts";

type StreamedBlock = Exclude<ScriptedBlock, { kind: "ping" | "gate" }>;

const FLOOD_WRITE_BYTES = 16 * 1024;

/** Streams one message; ends early, without an error, when the client goes away. */
export async function streamMessage(message: MessageReply, model: string, response: ServerResponse): Promise<void> {
  const closed = new AbortController();
  response.once("close", () => {
    closed.abort();
    if (!response.writableFinished) message.clientClosed.resolve();
  });
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const stream = new EventStream(response, closed.signal);
  try {
    await stream.send(messageStart(message, model));
    await streamBlocks(message.blocks, model, stream);
    await finish(message, response, stream);
  } catch (error) {
    if (!closed.signal.aborted) throw error;
  }
}

/** Writes events and waits for the socket; everything throws once the client has gone. */
class EventStream {
  readonly #response: ServerResponse;
  readonly #closed: AbortSignal;

  constructor(response: ServerResponse, closed: AbortSignal) {
    this.#response = response;
    this.#closed = closed;
  }

  async send(event: { type: string }): Promise<void> {
    await this.write(encodeEvent(event));
  }

  async write(data: string | Buffer): Promise<void> {
    this.#closed.throwIfAborted();
    if (!this.#response.write(data)) await once(this.#response, "drain", { signal: this.#closed });
  }

  async pause(ms: number): Promise<void> {
    if (ms > 0) await pause(ms, undefined, { signal: this.#closed });
  }

  /** Waits for `promise`, or throws when the client has gone. */
  async wait(promise: Promise<void>): Promise<void> {
    await Promise.race([promise, this.gone()]);
  }

  async gone(): Promise<never> {
    if (!this.#closed.aborted) await once(this.#closed, "abort");
    throw new Error("The client closed the connection.");
  }
}

function encodeEvent(event: { type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function messageStart(message: MessageReply, model: string) {
  return {
    type: "message_start",
    message: {
      id: "msg_scripted",
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...message.usage, thinking_tokens: undefined, output_tokens: 1 },
    },
  };
}

async function streamBlocks(blocks: readonly ScriptedBlock[], model: string, stream: EventStream): Promise<void> {
  let index = 0;
  for (const block of blocks) {
    if (block.kind === "ping") {
      await stream.send({ type: "ping" });
    } else if (block.kind === "gate") {
      block.reached.resolve();
      await stream.wait(block.opened.promise);
    } else {
      await streamBlock(block, index, model, stream);
      index += 1;
    }
  }
}

async function streamBlock(block: StreamedBlock, index: number, model: string, stream: EventStream): Promise<void> {
  await stream.send(contentStart(block, index));
  if (block.kind === "flood") {
    await streamFlood(block, index, stream);
  } else {
    for (const delta of deltasOf(block, model)) {
      if ("delayMs" in block) await stream.pause(block.delayMs);
      await stream.send(contentDelta(index, delta));
    }
  }
  await stream.send(contentStop(index));
}

function contentStart(block: StreamedBlock, index: number) {
  return { type: "content_block_start", index, content_block: emptyBlock(block) };
}

function contentDelta(index: number, delta: Delta) {
  return { type: "content_block_delta", index, delta };
}

function contentStop(index: number) {
  return { type: "content_block_stop", index };
}

function emptyBlock(block: StreamedBlock) {
  switch (block.kind) {
    case "text":
      return { type: "text", text: "", ...(block.citations.length === 0 ? {} : { citations: [] }) };
    case "flood":
      return { type: "text", text: "" };
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "redactedThinking":
      return { type: "redacted_thinking", data: block.data };
    case "toolCall":
      return { type: "tool_use", id: block.id, name: block.name, input: {} };
    case "server":
      return block.block.type === "server_tool_use" ? { ...block.block, input: {} } : block.block;
  }
}

type Delta =
  | { type: "text_delta"; text: string }
  | { type: "citations_delta"; citation: Citation }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "input_json_delta"; partial_json: string };

function* deltasOf(block: Exclude<StreamedBlock, { kind: "flood" }>, model: string): Generator<Delta> {
  switch (block.kind) {
    case "text":
      for (const citation of block.citations) yield { type: "citations_delta", citation };
      for (const piece of cut(block.text, block.chunks)) yield { type: "text_delta", text: piece };
      return;
    case "thinking": {
      for (const piece of cut(block.text, block.chunks)) yield { type: "thinking_delta", thinking: piece };
      const signature = block.signature ?? signThinking(model, block.text);
      if (signature !== "") yield { type: "signature_delta", signature };
      return;
    }
    case "toolCall":
      yield { type: "input_json_delta", partial_json: "" };
      for (const piece of cut(block.json, block.pieces)) yield { type: "input_json_delta", partial_json: piece };
      return;
    case "server":
      if (block.block.type !== "server_tool_use") return;
      yield { type: "input_json_delta", partial_json: "" };
      yield { type: "input_json_delta", partial_json: JSON.stringify(block.block.input) };
      return;
    case "redactedThinking":
      return;
  }
}

/** Cuts into `count` pieces of nearly equal length, never inside a character. */
function cut(content: string, count: number): string[] {
  if (content === "") return [];
  if (count <= 1) return [content];
  const characters = Array.from(content);
  const size = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += size) pieces.push(characters.slice(at, at + size).join(""));
  return pieces;
}

async function streamFlood(block: { deltas: number; characters: number }, index: number, stream: EventStream) {
  const content = "lorem ipsum dolor sit amet ".repeat(Math.ceil(block.characters / 27)).slice(0, block.characters);
  const one = Buffer.from(encodeEvent(contentDelta(index, { type: "text_delta", text: content })));
  const perWrite = Math.max(1, Math.floor(FLOOD_WRITE_BYTES / one.length));
  const many = Buffer.concat(new Array<Buffer>(Math.min(perWrite, block.deltas)).fill(one));
  for (let left = block.deltas; left > 0; left -= perWrite) {
    await stream.write(left >= perWrite ? many : many.subarray(0, left * one.length));
  }
}

async function finish(message: MessageReply, response: ServerResponse, stream: EventStream): Promise<void> {
  const { ending } = message;
  if (ending.kind === "hang") return await stream.gone();
  if (ending.kind === "cut") {
    response.socket?.destroySoon();
    return;
  }
  if (ending.kind === "error") {
    await stream.send(errorEvent(ending.type, ending.message));
  } else if (ending.kind === "complete") {
    await stream.send(messageDelta(message));
    await stream.send({ type: "message_stop" });
  }
  response.end();
}

function errorEvent(type: string, text: string) {
  return { type: "error", error: { type, message: text } };
}

function messageDelta(message: MessageReply) {
  const { thinking_tokens: thinkingTokens, ...usage } = message.usage;
  const explanation = message.explanation;
  return {
    type: "message_delta",
    delta: {
      stop_reason: message.stopReason,
      stop_sequence: null,
      ...(explanation === undefined ? {} : { stop_details: { type: "refusal", category: null, explanation } }),
    },
    usage:
      thinkingTokens === undefined ? usage : { ...usage, output_tokens_details: { thinking_tokens: thinkingTokens } },
  };
}
