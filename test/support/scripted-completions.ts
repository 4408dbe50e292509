import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";

const Call = z.strictObject({
  id: z.string().min(1).max(40),
  type: z.literal("function"),
  function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
  extra_content: z.strictObject({ google: z.strictObject({ thought_signature: z.string().min(1) }) }).optional(),
});
const Text = z.strictObject({
  type: z.literal("text"),
  text: z.string().min(1),
  /** OpenRouter's. */
  cache_control: z.strictObject({ type: z.literal("ephemeral"), ttl: z.literal("1h").optional() }).optional(),
});
const Part = z.discriminatedUnion("type", [
  Text,
  z.strictObject({ type: z.literal("image_url"), image_url: z.strictObject({ url: z.string().startsWith("data:") }) }),
]);
const Message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: z.union([z.string().min(1), z.array(Text).min(1)]) }),
  z.strictObject({ role: z.literal("developer"), content: z.string().min(1) }),
  z.strictObject({ role: z.literal("user"), content: z.union([z.string().min(1), z.array(Part).min(1)]) }),
  z.looseObject({
    role: z.literal("assistant"),
    content: z.string().min(1).nullable(),
    tool_calls: z.array(Call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    tool_call_id: z.string(),
    content: z.union([z.string(), z.array(Text).min(1)]),
    name: z.string().optional(),
  }),
]);
const Body = z.looseObject({
  model: z.string(),
  stream: z.literal(true),
  messages: z.array(Message).min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal("function"),
        function: z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string(),
          parameters: z.looseObject({ type: z.literal("object") }),
        }),
      }),
    )
    .min(1)
    .optional(),
});
export type CompletionBody = z.infer<typeof Body>;

/** The server's reaction to one request. */
export type CompletionReply =
  /** Each is one event; `"[DONE]"` is the end, after which nothing is sent. Without it the connection is closed in order. */
  | { kind: "events"; events: readonly unknown[] }
  /** Sends the events and drops the connection. */
  | { kind: "cut"; events: readonly unknown[] }
  /** Sends the events and then nothing more. */
  | { kind: "hang"; events: readonly unknown[] }
  | { kind: "error"; status: number; body: string; headers?: Record<string, string> };

/** One event with a change of the answer. */
export function delta(fields: object, finish: string | null = null): unknown {
  return { id: "chatcmpl-1", model: "served", choices: [{ index: 0, delta: fields, finish_reason: finish }] };
}

/** An answer of text that ends as the service ends it. */
export function answerText(content: string): CompletionReply {
  return { kind: "events", events: [delta({ role: "assistant", content }), delta({}, "stop"), usage(7, 3), "[DONE]"] };
}

/** An answer that calls one tool, its arguments in two pieces. */
export function answerCall(name: string, args: object, id = "call_1"): CompletionReply {
  const json = JSON.stringify(args);
  const piece = (fields: object) => delta({ tool_calls: [{ index: 0, ...fields }] });
  const events = [
    piece({ id, type: "function", function: { name, arguments: json.slice(0, 3) } }),
    piece({ function: { arguments: json.slice(3) } }),
    delta({}, "tool_calls"),
    "[DONE]",
  ];
  return { kind: "events", events };
}

/** The event that tells the tokens; `cached` of the prompt's are from the cache. */
export function usage(prompt: number, completion: number, cached = 0): unknown {
  const details = { prompt_tokens_details: { cached_tokens: cached } };
  return { choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, ...details } };
}

/** A server on 127.0.0.1 that speaks chat completions, refuses what the service refuses, and answers from a script. */
export class ScriptedCompletions {
  readonly requests: { headers: IncomingHttpHeaders; body: CompletionBody }[] = [];
  readonly url: string;
  readonly #script: CompletionReply[] = [];
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stop: () => Promise<void>) {
    this.url = url;
    this.#stop = stop;
  }

  static async start(): Promise<ScriptedCompletions> {
    const server = createServer((request, response) => {
      void text(request).then((body) => scripted.#answer(request.headers, request.url ?? "", body, response));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    const scripted = new ScriptedCompletions(`http://127.0.0.1:${address.port}/v1`, async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return scripted;
  }

  enqueue(...replies: CompletionReply[]): void {
    this.#script.push(...replies);
  }

  /** @throws Error when part of the script was not asked for. */
  async stop(): Promise<void> {
    await this.#stop();
    if (this.#script.length > 0) throw new Error(`${this.#script.length} scripted answers were not asked for.`);
  }

  #answer(headers: IncomingHttpHeaders, url: string, json: string, response: ServerResponse): void {
    const reply = this.#next(headers, url, json);
    if (reply.kind === "error") {
      response.writeHead(reply.status, { "content-type": "application/json", ...reply.headers }).end(reply.body);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of reply.events) {
      response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    }
    if (reply.kind === "events") response.end();
    else if (reply.kind === "cut") setImmediate(() => response.destroy());
  }

  /** The next of the script, or why the service would not have it. */
  #next(headers: IncomingHttpHeaders, url: string, json: string): CompletionReply {
    const body = Body.safeParse(JSON.parse(json));
    const problem = url === "/v1/chat/completions" ? whatIsWrong(body) : `There is no ${url}`;
    if (problem !== undefined || !body.success) return refusal(400, problem ?? "");
    if (headers.authorization === "Bearer bad-key") return refusal(401, "Incorrect API key provided");
    this.requests.push({ headers, body: body.data });
    return this.#script.shift() ?? refusal(500, "The script has no answer left");
  }
}

function refusal(status: number, message: string): CompletionReply {
  return { kind: "error", status, body: JSON.stringify({ error: { message, type: "invalid_request_error" } }) };
}

/** Every call has its answer, directly behind it, and there is no other. */
function whatIsWrong(body: z.ZodSafeParseResult<CompletionBody>): string | undefined {
  if (!body.success) return z.prettifyError(body.error);
  let open = new Set<string>();
  for (const message of body.data.messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id)) return "messages with role 'tool' must be a response to 'tool_calls'";
      continue;
    }
    if (open.size > 0) return "An assistant message with 'tool_calls' must be followed by tool messages";
    if (message.role === "assistant") open = new Set(message.tool_calls?.map(({ id }) => id));
    if (message.role === "assistant" && message.content === null && open.size === 0) return "content is null";
  }
  return open.size > 0 ? "An assistant message with 'tool_calls' must be followed by tool messages" : undefined;
}
