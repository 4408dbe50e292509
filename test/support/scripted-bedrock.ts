import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { type AwsKeys, whatIsUnsigned } from "./aws-signature.ts";
import { ConverseBody, signThought, whatIsRefused } from "./bedrock-rules.ts";
import { eventFrame, exceptionFrame } from "./event-stream-frames.ts";
import { startServer } from "./local-server.ts";

/** A part of a scripted reply. */
export type ConversePart =
  | { text: string }
  | { thought: string; signature?: string }
  | { redacted: readonly string[] }
  | { call: string; name: string; args: object };

/** The server's reaction to one request. */
export type ConverseReply =
  /** Sends the frames and ends in order, drops the connection, or sends nothing more. */
  | { kind: "frames" | "cut" | "hang"; frames: readonly Buffer[] }
  | { kind: "error"; status: number; type: string; message: string; headers?: Record<string, string> }
  | { kind: "page"; body: string };

interface Ending {
  stopReason?: string;
  usage?: Record<string, unknown>;
}

/** Returns the frames of a whole reply. */
export function converseReply(parts: readonly ConversePart[], { stopReason, usage }: Ending = {}): Buffer[] {
  const hasCall = parts.some((part) => "call" in part);
  return [
    ...converseStart(parts),
    eventFrame("messageStop", { stopReason: stopReason ?? (hasCall ? "tool_use" : "end_turn") }),
    eventFrame("metadata", {
      usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, ...usage },
      metrics: { latencyMs: 7 },
    }),
  ];
}

/** Returns the frames of a reply that has not ended. */
export function converseStart(parts: readonly ConversePart[]): Buffer[] {
  return [eventFrame("messageStart", { role: "assistant", p: "abc" }), ...parts.flatMap(framesOf)];
}

/** Returns the frames of a reply that begins and fails. */
export function converseFailure(name: string, message: string): Buffer[] {
  return [...converseStart([{ text: "Hi" }]), exceptionFrame(name, message)];
}

function framesOf(part: ConversePart, contentBlockIndex: number): Buffer[] {
  const stop = eventFrame("contentBlockStop", { contentBlockIndex });
  const delta = (value: object) => eventFrame("contentBlockDelta", { contentBlockIndex, delta: value, p: "ab" });
  if ("text" in part) return [...halves(part.text).map((half) => delta({ text: half })), stop];
  if ("redacted" in part) {
    return [...part.redacted.map((data) => delta({ reasoningContent: { redactedContent: data } })), stop];
  }
  if ("thought" in part) {
    const signature = part.signature ?? signThought(part.thought);
    const said = halves(part.thought).map((half) => delta({ reasoningContent: { text: half } }));
    return [...said, delta({ reasoningContent: { signature } }), stop];
  }
  const start = { toolUse: { toolUseId: part.call, name: part.name } };
  const json = halves(JSON.stringify(part.args)).map((half) => delta({ toolUse: { input: half } }));
  return [eventFrame("contentBlockStart", { contentBlockIndex, start }), ...json, stop];
}

/** Cuts a text in the middle, but not inside a character. */
function halves(whole: string): string[] {
  const characters = Array.from(whole);
  const middle = Math.ceil(characters.length / 2);
  return [characters.slice(0, middle), characters.slice(middle)]
    .map((half) => half.join(""))
    .filter((half) => half !== "");
}

const PATH = /^\/model\/([^/]+)\/converse-stream$/;

interface BedrockOptions {
  /** The region whose signatures are accepted. */
  region?: string;
  /** Keys that requests may be signed with; a bearer token is accepted instead. */
  keys?: AwsKeys[];
}

/** A server on 127.0.0.1 that speaks the Converse API of Amazon Bedrock, refuses what the service refuses, and answers from a script. */
export class ScriptedBedrock {
  readonly requests: { headers: IncomingHttpHeaders; model: string; body: ConverseBody }[] = [];
  /** Keys that requests may be signed with. */
  readonly keys: AwsKeys[];
  readonly #region: string;
  readonly #script: ConverseReply[] = [];
  #url = "";
  #stop: () => Promise<void> = async () => undefined;

  private constructor({ region = "us-east-1", keys = [] }: BedrockOptions) {
    this.#region = region;
    this.keys = keys;
  }

  static async start(options: BedrockOptions = {}): Promise<ScriptedBedrock> {
    const scripted = new ScriptedBedrock(options);
    const server = await startServer((request, response) => void scripted.#serve(request, response));
    scripted.#url = server.url;
    scripted.#stop = server.stop;
    return scripted;
  }

  get url(): string {
    return this.#url;
  }

  enqueue(...replies: ConverseReply[]): void {
    this.#script.push(...replies);
  }

  /** @throws Error if part of the script was not requested. */
  async stop(): Promise<void> {
    await this.#stop();
    if (this.#script.length > 0) throw new Error(`${this.#script.length} scripted answers were not asked for.`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = this.#next(request, await text(request));
    if (reply.kind === "page") {
      response.writeHead(200, { "content-type": "text/html" }).end(reply.body);
      return;
    }
    if (reply.kind === "error") {
      const type = `${reply.type}:http://internal.amazon.com/coral/com.amazon.bedrock/`;
      const headers = { "content-type": "application/json", "x-amzn-errortype": type, ...reply.headers };
      response.writeHead(reply.status, headers).end(JSON.stringify({ message: reply.message }));
      return;
    }
    response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
    for (const one of reply.frames) response.write(one);
    if (reply.kind === "frames") response.end();
    else if (reply.kind === "cut") setImmediate(() => response.destroy());
  }

  /** Returns the next reply of the script, or the service's refusal of the request. */
  #next(request: IncomingMessage, json: string): ConverseReply {
    const { url = "", method = "", headers } = request;
    const model = decodeURIComponent(PATH.exec(url)?.[1] ?? "");
    if (model === "" || method !== "POST") return refusal(404, "UnknownOperationException", "");
    const problem = this.#unknown(request, json);
    if (problem !== undefined) return problem;
    if (headers["content-type"] !== "application/json") return refusal(415, "SerializationException", "");
    const body = ConverseBody.safeParse(JSON.parse(json));
    if (!body.success) return invalid(z.prettifyError(body.error));
    const refused = whatIsRefused(model, body.data);
    if (refused !== undefined) return invalid(refused);
    this.requests.push({ headers, model, body: body.data });
    return this.#script.shift() ?? refusal(500, "InternalServerException", "The script has no answer left");
  }

  /** Returns the reason why the request isn't authenticated. */
  #unknown({ url = "", method = "", headers }: IncomingMessage, body: string): ConverseReply | undefined {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    if (bearer === "bad-key") {
      return refusal(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid.");
    }
    if (bearer !== undefined) return undefined;
    const scope = { service: "bedrock", region: this.#region };
    const problem = whatIsUnsigned({ url, method, headers, body }, this.keys, scope);
    return problem === undefined ? undefined : refusal(403, "UnrecognizedClientException", problem);
  }
}

function refusal(status: number, type: string, message: string): ConverseReply {
  return { kind: "error", status, type, message };
}

function invalid(message: string): ConverseReply {
  return refusal(400, "ValidationException", message);
}
