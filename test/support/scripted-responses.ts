import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { startServer } from "./local-server.ts";
import { ResponsesBody, whatIsWrong, whatIsWrongWithSearch } from "./responses-rules.ts";

/** The server's reaction to one request. */
export type ResponsesReply =
  /** Sends the events and ends in order, drops the connection, or sends nothing more. */
  | { kind: "events" | "cut" | "hang"; events: readonly unknown[] }
  | { kind: "error"; status: number; body: string; headers?: Record<string, string> };

const Event = z.looseObject({ type: z.string().optional() });
const Done = z.object({
  type: z.literal("response.output_item.done"),
  item: z.object({ id: z.string(), type: z.string() }),
});

/** A server on 127.0.0.1 that speaks the Responses API, refuses what the service refuses, and answers from a script. */
export class ScriptedResponses {
  readonly requests: { url: string; headers: IncomingHttpHeaders; body: ResponsesBody }[] = [];
  /** Keys and tokens that are refused. */
  readonly refused = new Set(["bad-key"]);
  readonly #thoughtBefore = new Map<string, string>();
  readonly #script: ResponsesReply[] = [];
  #url = "";
  #stop: () => Promise<void> = async () => undefined;

  static async start(): Promise<ScriptedResponses> {
    const scripted = new ScriptedResponses();
    const server = await startServer((request, response) => void scripted.#serve(request, response));
    scripted.#url = `${server.url}/v1`;
    scripted.#stop = server.stop;
    return scripted;
  }

  get url(): string {
    return this.#url;
  }

  enqueue(...replies: ResponsesReply[]): void {
    this.#script.push(...replies);
  }

  /** @throws Error when part of the script was not asked for. */
  async stop(): Promise<void> {
    await this.#stop();
    if (this.#script.length > 0) throw new Error(`${this.#script.length} scripted answers were not asked for.`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = this.#next(request, await text(request));
    if (reply.kind === "error") {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    this.#remember(reply.events);
    for (const [number, event] of reply.events.entries()) {
      const { type, ...fields } = Event.parse(event);
      response.write(
        `event: ${type ?? "error"}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: number })}\n\n`,
      );
    }
    if (reply.kind === "events") response.end();
    else if (reply.kind === "cut") setImmediate(() => response.destroy());
  }

  /** Items that followed a thought are taken back only with it. */
  #remember(events: readonly unknown[]): void {
    let thought: string | undefined;
    for (const event of events) {
      const done = Done.safeParse(event);
      if (!done.success) continue;
      const { id, type } = done.data.item;
      if (type === "reasoning") thought = id;
      else if (thought !== undefined) this.#thoughtBefore.set(id, thought);
    }
  }

  /** The next of the script, or why the service would not have it. */
  #next({ url = "", headers }: IncomingMessage, json: string): ResponsesReply {
    if (url.split("?")[0] !== "/v1/responses") return refusal(404, `Invalid URL (POST ${url})`);
    const key = headers["api-key"] ?? headers.authorization?.replace("Bearer ", "");
    if (this.refused.has(String(key))) return refusal(401, "Incorrect API key provided");
    const body = ResponsesBody.safeParse(JSON.parse(json));
    if (!body.success) return refusal(400, z.prettifyError(body.error));
    const problem = whatIsWrong(body.data.input, this.#thoughtBefore) ?? whatIsWrongWithSearch(body.data);
    if (problem !== undefined) return refusal(400, problem);
    this.requests.push({ url, headers, body: body.data });
    return this.#script.shift() ?? refusal(500, "The script has no answer left");
  }
}

function refusal(status: number, message: string): ResponsesReply {
  const error = { message, type: "invalid_request_error", param: null, code: null };
  return { kind: "error", status, body: JSON.stringify({ error }) };
}
