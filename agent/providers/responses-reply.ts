import { OPENAI_MANNER, openStream } from "./open-stream.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { toResponsesRequest } from "./responses-convert.ts";
import { ResponsesEvents } from "./responses-events.ts";
import type { RefusedParts } from "./responses-refused.ts";
import type { ResponsesRequest } from "./responses-wire.ts";
import { mapToolNames, type ToolNames } from "./tool-names.ts";

const MAX_NAME_LENGTH = 64;

/** The settings of requests to a server. */
export interface ResponsesSettings {
  idleTimeoutMs: number;
  refused: RefusedParts;
  /** Below the model's address; default `/responses`. */
  path?: string;
  /** The headers that authorize the request; default: the key as bearer token. */
  keyHeaders?: Readonly<Record<string, string>>;
}

/**
 * Streams one reply of a server that speaks the Responses API. What the service refuses of the model's thinking is left out.
 * @throws ProviderError for everything that goes wrong.
 */
export async function* streamResponse(
  request: ProviderRequest,
  settings: ResponsesSettings,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const { refused } = settings;
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  for (;;) {
    const body = toResponsesRequest(request, names, refused);
    let hasContent = false;
    try {
      for await (const batch of ask(request, body, names, settings)) {
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
  { idleTimeoutMs, path = "/responses", keyHeaders }: ResponsesSettings,
): AsyncIterable<readonly ProviderEvent[]> {
  const manner = keyHeaders === undefined ? OPENAI_MANNER : { ...OPENAI_MANNER, keyHeaders: () => keyHeaders };
  const open = async (connection: Connection) => {
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    return openStream(request, path, json, connection, manner);
  };
  return streamReply({ request, idleTimeoutMs, open }, new ResponsesEvents(names));
}
