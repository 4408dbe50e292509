import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { lineWithLinuxPaths } from "../windows/paths.ts";
import { checkBetas, checkBody, checkHeaders, pausedContent } from "./messages-api-rules.ts";
import type { RecordedRequest, ReplySource, ScriptedBlock, ScriptedReply } from "./scripted-replies.ts";
import { streamMessage } from "./scripted-stream.ts";
import { IS_ON_WINDOWS } from "./spawn-agent.ts";

const MAX_BODY_CHARACTERS = 32 * 1024 * 1024;

/**
 * The one fake of the tests: a server on 127.0.0.1 that speaks the Anthropic Messages streaming format, refuses what the
 * real service refuses, and answers from a script.
 */
export class ScriptedModel {
  /** The requests that passed the checks, in the order they came. */
  readonly requests: RecordedRequest[] = [];
  /** Counts for requests to count tokens, in order; without any, those are not served. */
  readonly counts: number[] = [];
  /** The bodies of the requests to count tokens. */
  readonly countRequests: object[] = [];
  readonly #server: Server;
  readonly #script: ReplySource[];
  readonly #problems: string[] = [];
  readonly #rejections: string[] = [];
  readonly #paused = new Set<string>();
  #url = "";

  private constructor(script: readonly ReplySource[]) {
    this.#script = [...script];
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        this.#problems.push(`The scripted model failed: ${String(error)}`);
        response.destroy();
      });
    });
  }

  /** Starts a server on a free port. */
  static async start(replies: readonly ReplySource[] = []): Promise<ScriptedModel> {
    const model = new ScriptedModel(replies);
    await new Promise<void>((resolve, reject) => {
      model.#server.once("error", reject);
      model.#server.listen(0, "127.0.0.1", resolve);
    });
    const address = model.#server.address();
    if (address === null || typeof address === "string") throw new Error("The scripted model has no port.");
    model.#url = `http://127.0.0.1:${address.port}`;
    return model;
  }

  /** The base URL for clients. */
  get url(): string {
    return this.#url;
  }

  /** Requests that were refused by the checks, as texts. */
  get rejections(): readonly string[] {
    return this.#rejections;
  }

  /** Adds replies at the end of the script. */
  enqueue(...replies: ReplySource[]): void {
    this.#script.push(...replies);
  }

  /** @throws when replies are left over or a request found none. */
  assertDone(): void {
    const problems = [...this.#problems];
    if (this.#script.length > 0) {
      problems.push(
        `${this.#script.length} scripted replies were not asked for; ${this.requests.length} requests came.`,
      );
      problems.push(...this.#rejections.map((text) => `A request was refused: ${text}`));
    }
    if (problems.length > 0) throw new Error(problems.join("\n"));
  }

  /** Closes the server and every connection, then does what `assertDone` does. */
  async stop(): Promise<void> {
    await this.close();
    this.assertDone();
  }

  /** Closes the server and every connection, whatever is left of the script. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readBody(request);
    if (read === undefined) return;
    const body = IS_ON_WINDOWS ? lineWithLinuxPaths(read) : read;
    const path = new URL(request.url ?? "/", this.#url).pathname;
    if (path === "/v1/messages/count_tokens" && this.counts.length > 0) return this.#count(request, body, response);
    if (request.method !== "POST" || path !== "/v1/messages") {
      sendError(response, 404, "not_found_error", `${request.method} ${path} is not served`);
      return;
    }
    const checked = this.#check(request, body);
    if (!checked.ok) {
      this.#rejections.push(checked.error.message);
      sendError(response, checked.error.status, checked.error.type, checked.error.message);
      return;
    }
    const recorded = { headers: request.headers, body: checked.request };
    this.requests.push(recorded);
    const source = this.#script.shift();
    if (source === undefined) {
      const text = `The scripted model has no reply left for this request:\n${JSON.stringify(recorded.body, undefined, 2)}`;
      this.#problems.push(text);
      sendError(response, 500, "api_error", text);
      return;
    }
    const reply = typeof source === "function" ? await source(recorded) : source;
    if (reply.kind === "message" && reply.stopReason === "pause_turn") {
      this.#paused.add(pausedContent([...resumedBlocks(recorded.body), ...reply.blocks.flatMap(sentBack)]));
    }
    await send(reply, recorded.body.model, response);
  }

  /** Counting takes the fields that decide the size, and no others. */
  #count(request: IncomingMessage, body: string, response: ServerResponse): void {
    const json = parseJson(body);
    const isObject = typeof json === "object" && json !== null;
    const refused = isObject && ("max_tokens" in json || "stream" in json);
    const checked = refused
      ? refuse("max_tokens: Extra inputs are not permitted")
      : this.#check(request, JSON.stringify({ ...(isObject ? json : {}), max_tokens: 64_000, stream: true }));
    if (!checked.ok) {
      this.#rejections.push(checked.error.message);
      sendError(response, checked.error.status, checked.error.type, checked.error.message);
      return;
    }
    this.countRequests.push(checked.request);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ input_tokens: this.counts.shift() }));
  }

  #check(request: IncomingMessage, body: string): ReturnType<typeof checkBody> {
    const error = checkHeaders(request.headers);
    if (error !== undefined) return { ok: false, error };
    if (body.length > MAX_BODY_CHARACTERS) return refuse("Request exceeds the maximum size", 413, "request_too_large");
    const json = parseJson(body);
    if (json === undefined) return refuse("The request body is not valid JSON");
    const checked = checkBody(json, this.#paused);
    if (!checked.ok) return checked;
    const problem = checkBetas(request.headers, checked.request);
    if (problem !== undefined) return { ok: false, error: problem };
    return checked.request.stream === true ? checked : refuse("The scripted model only streams: set `stream` to true");
  }
}

/** Returns the blocks of a paused response that a request continues. */
function resumedBlocks({ messages }: RecordedRequest["body"]) {
  const last = messages.at(-1);
  return last?.role === "assistant" && typeof last.content !== "string" ? last.content : [];
}

/** Returns a block of a reply as the client sends it back. */
function sentBack(block: ScriptedBlock): { type: string; text?: string; thinking?: string }[] {
  switch (block.kind) {
    case "text":
      return [{ type: "text", text: block.text }];
    case "thinking":
      return [{ type: "thinking", thinking: block.text }];
    case "server":
      return [{ type: block.block.type }];
    case "ping":
    case "gate":
      return [];
    default:
      return [{ type: block.kind }];
  }
}

function refuse(message: string, status = 400, type = "invalid_request_error"): ReturnType<typeof checkBody> {
  return { ok: false, error: { status, type, message } };
}

async function send(reply: ScriptedReply, model: string, response: ServerResponse): Promise<void> {
  switch (reply.kind) {
    case "message":
      return await streamMessage(reply, model, response);
    case "httpError":
      return sendError(response, reply.status, reply.type, reply.message, reply.headers);
    case "garbage":
      response.writeHead(200, { "content-type": reply.contentType });
      response.end(reply.bytes);
      return;
  }
}

function sendError(
  response: ServerResponse,
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", "request-id": "req_scripted", ...headers });
  response.end(JSON.stringify({ type: "error", error: { type, message }, request_id: "req_scripted" }));
}

/** The whole body, or undefined when the client went away before its end. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
  } catch {
    // The client closed the connection, so no reply is possible.
    return undefined;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
