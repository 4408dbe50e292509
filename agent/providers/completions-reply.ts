import { toChatRequest } from "./completions-convert.ts";
import { CompletionEvents } from "./completions-events.ts";
import { traitsOf } from "./completions-settings.ts";
import { openStream } from "./open-stream.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { mapToolNames } from "./tool-names.ts";

const MAX_NAME_LENGTH = 64;

/** Streams one reply of a server that speaks chat completions. It throws ProviderError for everything that goes wrong. */
export function streamCompletion(
  request: ProviderRequest,
  idleTimeoutMs: number,
): AsyncIterable<readonly ProviderEvent[]> {
  const { model } = request;
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  const open = async (connection: Connection) => {
    const body = toChatRequest(request, names);
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    return openStream(request, "/chat/completions", json, connection);
  };
  const keepsHour = request.cacheTtl === "1h" && traitsOf(model).marksCache;
  const events = new CompletionEvents(names, keepsHour);
  return streamReply({ request, idleTimeoutMs, open }, events);
}
