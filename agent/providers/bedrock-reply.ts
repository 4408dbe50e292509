import type { Env } from "../config/paths.ts";
import { toWireRequest } from "./anthropic-convert.ts";
import type { AwsLogin } from "./aws/login.ts";
import { toConverseRequest } from "./bedrock-convert.ts";
import { ConverseEvents } from "./bedrock-events.ts";
import { withAdvice } from "./bedrock-failures.ts";
import { FrameDecoder } from "./bedrock-frames.ts";
import { openConverse } from "./bedrock-open.ts";
import { findPlace } from "./bedrock-place.ts";
import { CallIds, plainIds } from "./call-ids.ts";
import type { ProviderEvent, ProviderRequest } from "./provider.ts";
import { type Connection, streamReply } from "./reply-stream.ts";
import { hookedBody } from "./request-body.ts";
import { mapToolNames } from "./tool-names.ts";

export { createAwsLogin } from "./aws/login.ts";

const MAX_NAME_LENGTH = 64;

interface ConverseSettings {
  env: Env;
  login: AwsLogin;
  idleTimeoutMs: number;
}

/**
 * Streams one response of Amazon Bedrock.
 * @throws ProviderError for everything that goes wrong.
 */
export async function* streamConverse(
  request: ProviderRequest,
  { env, login, idleTimeoutMs }: ConverseSettings,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const { model } = request;
  const names = mapToolNames(request.tools, MAX_NAME_LENGTH);
  const wire = toWireRequest(request, names, new CallIds(plainIds(MAX_NAME_LENGTH)));
  const place = await findPlace(model, env, login);
  const open = async (connection: Connection) => {
    const body = toConverseRequest(request, wire, place.region);
    const json = JSON.stringify((await hookedBody(request, body)) ?? body);
    return openConverse(request, { place, login, json, messages: wire.messages }, connection);
  };
  const source = { request, baseUrl: place.baseUrl, idleTimeoutMs, decoder: new FrameDecoder(), open };
  try {
    yield* streamReply(source, new ConverseEvents(names));
  } catch (error) {
    throw withAdvice(error, { request, place, login });
  }
}
