import { openStream } from "./open-stream.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { toResponsesRequest } from "./responses-convert.ts";
import { ResponsesEvents } from "./responses-events.ts";
import { mapToolNames } from "./tool-names.ts";

const MAX_NAME_LENGTH = 64;

/** Streams one reply of a server that speaks the Responses API. It throws ProviderError for everything that goes wrong. */
export function streamResponse(
  request: ProviderRequest,
  idleTimeoutMs: number,
): AsyncIterable<readonly ProviderEvent[]> {
  const { model, signal } = request;
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  const open = async (connection: Connection) => {
    const body = toResponsesRequest(request, names);
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    return openStream(request, "/responses", json, connection);
  };
  return streamReply({ baseUrl: model.baseUrl, idleTimeoutMs, signal, open }, new ResponsesEvents(names));
}
