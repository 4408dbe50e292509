import { addressBelow } from "../util/server-address.ts";
import { toGenerateRequest } from "./google-convert.ts";
import { GoogleEvents } from "./google-events.ts";
import { readGoogleFailure } from "./google-failure.ts";
import { openStream, type ServiceManner } from "./open-stream.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { mapToolNames } from "./tool-names.ts";

const MAX_NAME_LENGTH = 64;
const VERSION = /\/v\d+(?:alpha|beta)?\d*(?:\/|$)/;

/** Google's API, used with a key. */
export const GOOGLE: ServiceManner = {
  keyHeaders: (apiKey): Readonly<Record<string, string>> => (apiKey === undefined ? {} : { "x-goog-api-key": apiKey }),
  readFailure(json) {
    const failure = readGoogleFailure(json);
    // Google responds with 400 to a wrong key.
    return failure?.isInvalidKey ? { ...failure, status: 401 } : failure;
  },
};

/** Streams one response of Google's API for Gemini. Throws a ProviderError for every failure. */
export function streamGoogle(request: ProviderRequest, idleTimeoutMs: number): AsyncIterable<readonly ProviderEvent[]> {
  const baseUrl = withVersion(request.model.baseUrl, "v1beta");
  return streamContent({ ...request, model: { ...request.model, baseUrl } }, idleTimeoutMs, GOOGLE);
}

/** Streams one response. @param request its model's `baseUrl` is the address before `/models/…`. */
export function streamContent(
  request: ProviderRequest,
  idleTimeoutMs: number,
  manner: ServiceManner,
): AsyncIterable<readonly ProviderEvent[]> {
  const { model } = request;
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  const open = async (connection: Connection) => {
    const body = toGenerateRequest(request, names);
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    const path = `/models/${encodeURIComponent(model.id)}:streamGenerateContent?alt=sse`;
    return openStream(request, path, json, connection, manner);
  };
  return streamReply({ request, idleTimeoutMs, open }, new GoogleEvents(names));
}

/** Returns the address with the API's version, which users may leave out. */
export function withVersion(baseUrl: string, version: string): string {
  const address = addressBelow(baseUrl, "");
  const isVersioned = URL.canParse(address) && VERSION.test(new URL(address).pathname);
  return isVersioned ? address : `${address}/${version}`;
}
