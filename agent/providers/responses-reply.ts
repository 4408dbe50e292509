import { openStream } from "./open-stream.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { toResponsesRequest } from "./responses-convert.ts";
import { ResponsesEvents } from "./responses-events.ts";
import type { RefusedParts } from "./responses-refused.ts";
import type { ResponsesRequest } from "./responses-wire.ts";
import { mapToolNames, type ToolNames } from "./tool-names.ts";

const MAX_NAME_LENGTH = 64;

/**
 * Streams one reply of a server that speaks the Responses API. What the service refuses of the model's thinking is left out.
 * @throws ProviderError for everything that goes wrong.
 */
export async function* streamResponse(
  request: ProviderRequest,
  idleTimeoutMs: number,
  refused: RefusedParts,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  for (;;) {
    const body = toResponsesRequest(request, names, refused);
    let hasContent = false;
    try {
      for await (const batch of ask(request, body, names, idleTimeoutMs)) {
        hasContent ||= batch.some(({ type }) => type !== "start");
        yield batch;
      }
      return;
    } catch (error) {
      if (hasContent || !refused.learn(error, body, request.model)) throw error;
    }
  }
}

function ask(
  request: ProviderRequest,
  body: ResponsesRequest,
  names: ToolNames,
  idleTimeoutMs: number,
): AsyncIterable<readonly ProviderEvent[]> {
  const { model, signal } = request;
  const open = async (connection: Connection) => {
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    return openStream(request, "/responses", json, connection);
  };
  return streamReply({ baseUrl: model.baseUrl, idleTimeoutMs, signal, open }, new ResponsesEvents(names));
}
