import { addressBelow } from "../util/server-address.ts";
import { betasOf, withBetas } from "./anthropic-beta.ts";
import { toWireRequest } from "./anthropic-convert.ts";
import { encodeRequest } from "./anthropic-encode.ts";
import { AnthropicEvents } from "./anthropic-events.ts";
import { serverToolNames } from "./anthropic-server-tools.ts";
import { TokenCount, WireError, type WireMessage, type WireRequest } from "./anthropic-wire.ts";
import { namedImage } from "./named-image.ts";
import {
  type Provider,
  ProviderError,
  type ProviderEvent,
  type ProviderRequest,
  type RequestHeaders,
} from "./provider.ts";
import { fetchFromProvider } from "./provider-fetch.ts";
import { useProxyFromEnvironment } from "./proxy.ts";
import { type Connection, DEFAULT_IDLE_TIMEOUT_MS, streamReply } from "./reply-stream.ts";
import { hookedBody, hookedHeaders } from "./request-body.ts";
import {
  beginningOf,
  connectionFailure,
  cutStreamFailure,
  type RefusedRequest,
  requestFailure,
} from "./request-errors.ts";
import { requireSendable } from "./sendable.ts";
import { mapToolNames } from "./tool-names.ts";

type Sdk = typeof import("./anthropic-sdk.ts");

interface AnthropicOptions {
  /** Silence after which a request counts as lost, in ms; default two minutes. */
  idleTimeoutMs?: number;
}

/** The provider for the Anthropic Messages API and servers that speak it. */
export function createAnthropicProvider({ idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS }: AnthropicOptions = {}): Provider {
  return {
    api: "anthropic-messages",
    needsKey: true,
    stream: (request) => streamMessage(request, idleTimeoutMs),
    countTokens,
  };
}

/** A service that speaks the Messages API. */
export interface MessagesService {
  /** The address of the server, and the path of requests below it. */
  readonly address: string;
  readonly path: string;
  /** Headers with the key; null removes one of the SDK's. */
  readonly headers: RequestHeaders;
  /** Returns the body in the form that the service expects. */
  toBody(body: WireRequest): Omit<WireRequest, "model">;
  /** Reads the body of a refused request, if the service has a format of its own. */
  readFailure?(json: unknown): (Pick<RefusedRequest, "type" | "message"> & Partial<RefusedRequest>) | undefined;
}

/** The service of Anthropic, and of compatible servers. */
function ownService({ model, apiKey }: ProviderRequest): MessagesService {
  return {
    address: addressBelow(model.baseUrl, "").replace(/\/v1$/, ""),
    path: "/v1/messages",
    headers: keyHeaders(model.baseUrl, apiKey),
    toBody: (body) => body,
  };
}

let sdk: Promise<Sdk> | undefined;

/** Loads the SDK once, on the first request, so that starting stays cheap. */
async function loadSdk(): Promise<Sdk> {
  sdk ??= Promise.all([import("./anthropic-sdk.ts"), useProxyFromEnvironment()]).then(([loaded]) => loaded);
  return await sdk;
}

/** Streams one reply. @throws ProviderError for everything that goes wrong. */
export function streamMessage(
  request: ProviderRequest,
  idleTimeoutMs: number,
  service = ownService(request),
): AsyncIterable<readonly ProviderEvent[]> {
  const names = mapToolNames(request.tools);
  const open = async (connection: Connection) =>
    openStream(request, service, await toPayload(request, service, toWireRequest(request, names)), connection);
  return streamReply({ request, idleTimeoutMs, open }, new AnthropicEvents(names, serverToolNames(request.tools)));
}

/** The request: the text of the body, and what its features need. */
interface Payload {
  json: string;
  betas: readonly string[];
  messages: readonly WireMessage[];
}

async function toPayload(request: ProviderRequest, service: MessagesService, body: WireRequest): Promise<Payload> {
  const own = service.toBody(body);
  const changed = await hookedBody(request, own);
  const json = changed === undefined ? encodeRequest(own) : JSON.stringify(changed);
  return { json, betas: betasOf(request.model, body.thinking, request.tools), messages: body.messages };
}

async function openStream(
  request: ProviderRequest,
  service: MessagesService,
  payload: Payload,
  connection: Connection,
): Promise<ReadableStream<Uint8Array>> {
  requireSendable(request);
  const { model, apiKey, hooks } = request;
  const sdk = await loadSdk();
  const headers = await hookedHeaders(request);
  connection.signal.throwIfAborted();
  try {
    const response = await createClient(sdk, service.address, apiKey)
      .post(service.path, {
        // Bytes, because of a text fetch would count them first.
        body: Buffer.from(payload.json),
        stream: true,
        signal: connection.signal,
        headers: {
          "content-type": "application/json",
          ...service.headers,
          ...withBetas(headers, payload.betas),
        },
      })
      .asResponse();
    await hooks?.response(response.status, Object.fromEntries(response.headers));
    if (response.body === null) throw cutStreamFailure(model.baseUrl);
    return response.body;
  } catch (error) {
    if (connection.signal.aborted || error instanceof ProviderError) throw error;
    // Errors of our fetch are wrapped.
    if (error instanceof Error && error.cause instanceof ProviderError) throw error.cause;
    const refused = readRefusal(error, sdk, { service, messages: payload.messages });
    if (refused !== undefined) await hooks?.response(refused.status, Object.fromEntries(refused.headers ?? []));
    throw refused === undefined ? connectionFailure(model.baseUrl, error) : requestFailure(refused, model, error);
  }
}

function createClient({ BaseAnthropic }: Sdk, address: string, apiKey: string | undefined) {
  return new BaseAnthropic({
    apiKey: apiKey ?? "none",
    authToken: null,
    baseURL: address,
    fetch: fetchFromProvider,
    maxRetries: 0,
    // We limit silence instead; the SDK's limit would apply to the whole answer.
    timeout: 2 ** 31 - 1,
    logLevel: "off",
  });
}

/** @see https://platform.claude.com/docs/en/api/messages-count-tokens */
async function countTokens(request: ProviderRequest): Promise<number> {
  requireSendable(request);
  const { model, apiKey, signal } = request;
  const { address, headers: own } = ownService(request);
  const { max_tokens, stream, ...body } = toWireRequest(request, mapToolNames(request.tools));
  const client = createClient(await loadSdk(), address, apiKey);
  const headers = { ...own, ...withBetas(await hookedHeaders(request), betasOf(model, body.thinking, request.tools)) };
  return TokenCount.parse(await client.post("/v1/messages/count_tokens", { body, signal, headers })).input_tokens;
}

/** The SDK sends the key as `Authorization`; servers that imitate the service often look only for `x-api-key`. */
function keyHeaders(baseUrl: string, apiKey: string | undefined): Record<string, string | null> {
  if (apiKey === undefined) return { authorization: null };
  const isAnthropic = URL.canParse(baseUrl) && new URL(baseUrl).hostname === "api.anthropic.com";
  return isAnthropic ? {} : { "x-api-key": apiKey };
}

function readRefusal(
  error: unknown,
  sdk: Sdk,
  { service, messages }: { service: MessagesService; messages: readonly WireMessage[] },
): RefusedRequest | undefined {
  if (!(error instanceof sdk.APIError) || typeof error.status !== "number") return undefined;
  const { status, headers } = error;
  const failure = service.readFailure?.(error.error);
  if (failure !== undefined) return { status, headers, ...failure };
  const body = WireError.safeParse(error.error);
  if (body.success) {
    const { type, message } = body.data.error;
    return { status, headers, type, message, image: namedImage(messages, message) };
  }
  return { status, headers, type: "", message: beginningOf(error.message.replace(/^\d+ /, "")) };
}
