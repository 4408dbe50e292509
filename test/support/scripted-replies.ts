import { type Deferred, deferred } from "../../agent/util/deferred.ts";
import type { MessagesRequest } from "./messages-api.ts";
import type { Citation, FoundPage, ServerBlock } from "./messages-api-search.ts";

/** One piece of what the scripted model streams. */
export type ScriptedBlock =
  | { kind: "text"; text: string; chunks: number; delayMs: number; citations: readonly Citation[] }
  | { kind: "thinking"; text: string; chunks: number; delayMs: number; signature: string | undefined }
  | { kind: "redactedThinking"; data: string }
  | { kind: "toolCall"; id: string; name: string; json: string; pieces: number; delayMs: number }
  | { kind: "server"; block: ServerBlock }
  | { kind: "flood"; deltas: number; characters: number }
  | { kind: "ping" }
  | Gate;

/** A place in a reply where the server waits for the test. */
export interface Gate {
  kind: "gate";
  /** Settles when the server has sent everything before the gate. */
  readonly reached: Deferred<void>;
  readonly opened: Deferred<void>;
  /** Continues the reply. */
  release(): void;
}

/** How a streamed message comes to its end. */
export type ScriptedEnding =
  | { kind: "complete" }
  | { kind: "error"; type: string; message: string }
  | { kind: "cut" }
  | { kind: "early" }
  | { kind: "hang" };

/** Token counts as the service names them. */
export interface ScriptedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number };
  thinking_tokens?: number | undefined;
  server_tool_use?: { web_search_requests: number };
}

/** A streamed message. */
export interface MessageReply {
  kind: "message";
  blocks: readonly ScriptedBlock[];
  stopReason: string;
  /** Why a request was refused, for `stopReason` "refusal". */
  explanation: string | undefined;
  usage: ScriptedUsage;
  ending: ScriptedEnding;
  /** Settles when the client closed the connection before the reply was complete. */
  readonly clientClosed: Deferred<void>;
}

/** The scripted model's answer to one request. */
export type ScriptedReply =
  | MessageReply
  | { kind: "httpError"; status: number; type: string; message: string; headers: Record<string, string> }
  | { kind: "garbage"; bytes: Buffer; contentType: string };

/** A request that passed the checks. */
export interface RecordedRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: MessagesRequest;
}

/** An answer, or a function that makes it from the request. */
export type ReplySource = ScriptedReply | ((request: RecordedRequest) => ScriptedReply | Promise<ScriptedReply>);

interface Pace {
  /** Number of deltas, default 1. */
  chunks?: number;
  /** Pause before each delta, default none. */
  delayMs?: number;
}

/** A text block. @param options.citations the passages that it rests on. */
export function text(
  content: string,
  { chunks = 1, delayMs = 0, citations = [] }: Pace & { citations?: readonly Citation[] } = {},
): ScriptedBlock {
  return { kind: "text", text: content, chunks, delayMs, citations };
}

/**
 * A thinking block.
 * @param options.signature default one that the server recognises when it comes back; "" sends none.
 */
export function thinking(
  content: string,
  { chunks = 1, delayMs = 0, signature }: Pace & { signature?: string } = {},
): ScriptedBlock {
  return { kind: "thinking", text: content, chunks, delayMs, signature };
}

/** A thinking block whose text the service keeps to itself. */
export function redactedThinking(data: string): ScriptedBlock {
  return { kind: "redactedThinking", data };
}

let nextToolCall = 1;

/**
 * A tool call.
 * @param args the arguments, or a string that is sent as the raw JSON text.
 * @param options.id default a fresh one; options.pieces into how many deltas the JSON is cut, default 1.
 */
export function toolCall(
  name: string,
  args: Readonly<Record<string, unknown>> | string = {},
  { id, pieces = 1, delayMs = 0 }: { id?: string; pieces?: number; delayMs?: number } = {},
): ScriptedBlock {
  return {
    kind: "toolCall",
    id: id ?? `toolu_scripted_${nextToolCall++}`,
    name,
    json: typeof args === "string" ? args : JSON.stringify(args),
    pieces,
    delayMs,
  };
}

/** A block of the work of a tool that the service runs itself. */
export function serverBlock(block: ServerBlock): ScriptedBlock {
  return { kind: "server", block };
}

/** A search of the web, and what it found, or why it failed. */
export function webSearch(query: string, found: readonly FoundPage[] | "max_uses_exceeded"): ScriptedBlock[] {
  const id = `srvtoolu_scripted_${nextToolCall++}`;
  const content =
    found === "max_uses_exceeded"
      ? ({ type: "web_search_tool_result_error", error_code: found } as const)
      : found.map((page) => page);
  return [
    serverBlock({ type: "server_tool_use", id, name: "web_search", input: { query }, caller: { type: "direct" } }),
    serverBlock({ type: "web_search_tool_result", tool_use_id: id, content, caller: { type: "direct" } }),
  ];
}

/** A text block of many equal deltas, written as fast as the socket takes them. */
export function flood(deltas: number, characters: number): ScriptedBlock {
  return { kind: "flood", deltas, characters };
}

/** A keep-alive event. */
export function ping(): ScriptedBlock {
  return { kind: "ping" };
}

/** A stop in the middle of a reply until the test calls `release()`. */
export function gate(): Gate {
  const opened = deferred<void>();
  return { kind: "gate", reached: deferred<void>(), opened, release: () => opened.resolve() };
}

interface ReplyOptions {
  /** Default "tool_use" when there is a tool call, else "end_turn". */
  stopReason?: string;
  explanation?: string;
  usage?: Partial<ScriptedUsage>;
}

/** A whole message. A string stands for one text block. */
export function reply(content: string | readonly ScriptedBlock[], options: ReplyOptions = {}): MessageReply {
  const blocks = typeof content === "string" ? [text(content)] : content;
  const hasToolCall = blocks.some((block) => block.kind === "toolCall");
  return {
    kind: "message",
    blocks,
    stopReason: options.stopReason ?? (hasToolCall ? "tool_use" : "end_turn"),
    explanation: options.explanation,
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...options.usage,
    },
    ending: { kind: "complete" },
    clientClosed: deferred<void>(),
  };
}

/** A message that breaks off with an error event. */
export function streamError(type: string, message: string, blocks: readonly ScriptedBlock[] = []): MessageReply {
  return { ...reply(blocks), ending: { kind: "error", type, message } };
}

/** A message whose connection is torn down after `blocks`. */
export function cutMidStream(blocks: readonly ScriptedBlock[] = []): MessageReply {
  return { ...reply(blocks), ending: { kind: "cut" } };
}

/** A message after whose `blocks` the connection is closed in order. */
export function endEarly(blocks: readonly ScriptedBlock[]): MessageReply {
  return { ...reply(blocks), ending: { kind: "early" } };
}

/** A message that never goes on after `afterBlocks`; `clientClosed` tells when the client gave up. */
export function hang({ afterBlocks = [] }: { afterBlocks?: readonly ScriptedBlock[] } = {}): MessageReply {
  return { ...reply(afterBlocks), ending: { kind: "hang" } };
}

/** A refused request, in the service's error shape. */
export function httpError(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): ScriptedReply {
  return { kind: "httpError", status, type, message, headers };
}

/** Bytes that are not what was asked for, with status 200. */
export function garbage(bytes: string | Uint8Array, contentType = "text/event-stream"): ScriptedReply {
  return { kind: "garbage", bytes: Buffer.from(bytes), contentType };
}
