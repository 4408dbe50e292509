import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { GeminiBody, nameOfPart, whatIsWrong } from "./gemini-rules.ts";
import { startServer } from "./local-server.ts";

/** The server's reaction to one request. */
export type GeminiReply =
  /** Sends the pieces and ends in order, drops the connection, or sends nothing more. */
  | { kind: "events" | "cut" | "hang"; events: readonly unknown[] }
  | { kind: "error"; status: number; body: string; headers?: Record<string, string> };

/** A failure as Google words it. */
export function googleError(code: number, status: string, message: string, details: readonly object[] = []): object {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } };
}

const Given = z.object({
  candidates: z.array(
    z.object({ content: z.object({ parts: z.array(z.looseObject({ thoughtSignature: z.string().optional() })) }) }),
  ),
});

/** Returns the refusal of a request's credentials. */
type Refuses = (headers: IncomingHttpHeaders) => GeminiReply | undefined;

const GEMINI_PATH = /^\/v1beta\/models\/([^/:]+):streamGenerateContent\?alt=sse$/;

/** A server on 127.0.0.1 that speaks Google's API for Gemini, refuses what the service refuses, and answers from a script. */
export class ScriptedGemini {
  readonly requests: { headers: IncomingHttpHeaders; path: string; body: GeminiBody }[] = [];
  readonly #given = new Map<string, string>();
  readonly #script: GeminiReply[] = [];
  readonly #path: RegExp;
  readonly #refuses: Refuses;
  #url = "";
  #stop: () => Promise<void> = async () => undefined;

  private constructor(path: RegExp, refuses: Refuses) {
    this.#path = path;
    this.#refuses = refuses;
  }

  /** @param path the address of requests, with the model's id as its group. */
  static async start(path = GEMINI_PATH, refuses: Refuses = wrongKey): Promise<ScriptedGemini> {
    const scripted = new ScriptedGemini(path, refuses);
    const server = await startServer((request, response) => void scripted.#serve(request, response));
    scripted.#url = server.url;
    scripted.#stop = server.stop;
    return scripted;
  }

  get url(): string {
    return this.#url;
  }

  enqueue(...replies: GeminiReply[]): void {
    this.#script.push(...replies);
  }

  /** @throws Error if part of the script was not requested. */
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
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of reply.events) {
      this.#remember(event);
      response.write(`data: ${JSON.stringify(event)}\r\n\r\n`);
    }
    if (reply.kind === "events") response.end();
    else if (reply.kind === "cut") setImmediate(() => response.destroy());
  }

  /** Signatures are taken back only at the part that carried them. */
  #remember(event: unknown): void {
    for (const { content } of Given.safeParse(event).data?.candidates ?? []) {
      for (const part of content.parts) {
        if (part.thoughtSignature !== undefined) this.#given.set(part.thoughtSignature, nameOfPart(part));
      }
    }
  }

  /** Returns the next reply of the script, or the service's refusal of the request. */
  #next({ url = "", headers }: IncomingMessage, json: string): GeminiReply {
    const model = this.#path.exec(url)?.[1];
    if (model === undefined) return refusal(404, "NOT_FOUND", `There is no ${url}`);
    const refused = this.#refuses(headers);
    if (refused !== undefined) return refused;
    const body = GeminiBody.safeParse(JSON.parse(json));
    if (!body.success) return refusal(400, "INVALID_ARGUMENT", z.prettifyError(body.error));
    const problem = whatIsWrong(body.data, model, this.#given);
    if (problem !== undefined) return refusal(400, "INVALID_ARGUMENT", problem);
    this.requests.push({ headers, path: url, body: body.data });
    return this.#script.shift() ?? refusal(500, "INTERNAL", "The script has no answer left");
  }
}

function wrongKey(headers: IncomingHttpHeaders): GeminiReply | undefined {
  const key = headers["x-goog-api-key"];
  if (key === undefined || headers.authorization !== undefined) {
    return refusal(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers.");
  }
  if (key !== "bad-key") return undefined;
  const info = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "API_KEY_INVALID",
    domain: "googleapis.com",
  };
  return refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [info]);
}

function refusal(code: number, status: string, message: string, details: readonly object[] = []): GeminiReply {
  return { kind: "error", status: code, body: JSON.stringify(googleError(code, status, message, details)) };
}
