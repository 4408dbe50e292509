import { addressBelow } from "../util/server-address.ts";
import { ProviderError, type ProviderRequest, type RequestHeaders } from "./provider.ts";
import { fetchFromProvider } from "./provider-fetch.ts";
import { useProxyFromEnvironment } from "./proxy.ts";
import type { Connection } from "./reply-stream.ts";
import { hookedHeaders } from "./request-body.ts";
import {
  beginningOf,
  connectionFailure,
  cutStreamFailure,
  type RefusedRequest,
  requestFailure,
} from "./request-errors.ts";
import { requireSendable } from "./sendable.ts";
import { ServiceError } from "./service-error.ts";

/** The differences between services that stream responses. */
export interface ServiceManner {
  /** The headers that authorize a request: with its key, or in another way. */
  keyHeaders(apiKey: string | undefined): Readonly<Record<string, string>>;
  /** Reads the body of a refused request; undefined if it isn't in the service's format. */
  readFailure(json: unknown): (Pick<RefusedRequest, "type" | "message"> & Partial<RefusedRequest>) | undefined;
}

/** OpenAI's APIs. */
export const OPENAI_MANNER: ServiceManner = {
  keyHeaders: (apiKey): Readonly<Record<string, string>> =>
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  readFailure: (json) => ServiceError.safeParse(Array.isArray(json) ? json[0] : json).data?.error, // Google's wraps it in a list
};

/**
 * Sends a request for an event stream, as OpenAI's APIs expect it unless `manner` differs.
 * @param path below the model's address.
 * @throws ProviderError.
 */
export async function openStream(
  request: ProviderRequest,
  path: string,
  json: string,
  connection: Connection,
  manner = OPENAI_MANNER,
): Promise<ReadableStream<Uint8Array>> {
  requireSendable(request);
  const { model, hooks } = request;
  await useProxyFromEnvironment();
  const response = await send(request, { path, json, manner }, connection);
  await hooks?.response(response.status, Object.fromEntries(response.headers));
  if (!response.ok) throw requestFailure(await readRefusal(response, manner), model, undefined);
  if (response.body === null) throw cutStreamFailure(model.baseUrl);
  return response.body;
}

async function send(
  request: ProviderRequest,
  { path, json, manner }: { path: string; json: string; manner: ServiceManner },
  { signal }: Connection,
): Promise<Response> {
  const { baseUrl } = request.model;
  try {
    const headers = headersOf(request, await hookedHeaders(request), manner);
    return await fetchFromProvider(addressBelow(baseUrl, path), {
      method: "POST",
      body: json,
      headers,
      signal,
    });
  } catch (error) {
    if (signal.aborted || error instanceof ProviderError) throw error;
    throw connectionFailure(baseUrl, error);
  }
}

/** The key, then the model's own, then those of this request; null leaves one out. */
function headersOf({ apiKey }: ProviderRequest, headers: RequestHeaders, manner: ServiceManner): Headers {
  const ofKey = manner.keyHeaders(apiKey);
  const sent = new Headers({ "content-type": "application/json", accept: "text/event-stream", ...ofKey });
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) sent.delete(name);
    else sent.set(name, value);
  }
  return sent;
}

async function readRefusal(response: Response, manner: ServiceManner): Promise<RefusedRequest> {
  const { status, headers } = response;
  const text = await response.text();
  const failure = manner.readFailure(parse(text));
  if (failure !== undefined) return { status, headers, ...failure };
  return { status, headers, type: "", message: beginningOf(text) || response.statusText };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the page of a proxy, for one
  }
}
