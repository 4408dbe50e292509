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

/** Sends a request in the manner of OpenAI's APIs. @param path below the model's address. @throws ProviderError. */
export async function openStream(
  request: ProviderRequest,
  path: string,
  json: string,
  connection: Connection,
): Promise<ReadableStream<Uint8Array>> {
  requireSendable(request);
  const { model, hooks } = request;
  await useProxyFromEnvironment();
  const response = await send(request, path, json, connection);
  await hooks?.response(response.status, Object.fromEntries(response.headers));
  if (!response.ok) throw requestFailure(await readRefusal(response), model, undefined);
  if (response.body === null) throw cutStreamFailure(model.baseUrl);
  return response.body;
}

async function send(request: ProviderRequest, path: string, json: string, { signal }: Connection): Promise<Response> {
  const { baseUrl } = request.model;
  try {
    const headers = headersOf(request, await hookedHeaders(request));
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
function headersOf({ apiKey }: ProviderRequest, headers: RequestHeaders): Headers {
  const sent = new Headers({ "content-type": "application/json", accept: "text/event-stream" });
  if (apiKey !== undefined) sent.set("authorization", `Bearer ${apiKey}`);
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) sent.delete(name);
    else sent.set(name, value);
  }
  return sent;
}

async function readRefusal(response: Response): Promise<RefusedRequest> {
  const { status, headers } = response;
  const text = await response.text();
  const refusal = ServiceError.safeParse(parse(text));
  if (refusal.success) return { status, headers, ...refusal.data.error };
  return { status, headers, type: "", message: beginningOf(text) || response.statusText };
}

function parse(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return Array.isArray(json) ? json[0] : json; // Google's wraps it in a list
  } catch {
    return undefined; // the page of a proxy, for one
  }
}
