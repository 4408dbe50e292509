import { GOOGLE_SIGN_IN, googleProject } from "../config/google-cloud.ts";
import type { Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { type MessagesService, streamMessage } from "./anthropic.ts";
import type { WireRequest } from "./anthropic-wire.ts";
import { readGoogleFailure } from "./google-failure.ts";
import type { GoogleAccess, GoogleLogin } from "./google-login.ts";
import { GOOGLE, streamContent } from "./google-reply.ts";
import type { ServiceManner } from "./open-stream.ts";
import { ProviderError, type ProviderEvent, type ProviderRequest } from "./provider.ts";
import { isGoogles, keyAddress, publisherAddress } from "./vertex-place.ts";

export { createGoogleLogin } from "./google-login.ts";

/** The environment and the sign-in for requests to Vertex AI. */
interface Vertex {
  env: Env;
  login: GoogleLogin;
  idleTimeoutMs: number;
}

type Batches = AsyncIterable<readonly ProviderEvent[]>;

/** The value of `apiKey` in `models.json` that sends Google Cloud credentials to a server that isn't Google's. */
const CREDENTIALS = "gcp-vertex-credentials";
const ANTHROPIC_VERSION = "vertex-2023-10-16";

/** Streams one response of Gemini on Vertex AI. @throws ProviderError for every failure. */
export function streamGemini(request: ProviderRequest, vertex: Vertex): Batches {
  const { model, apiKey } = request;
  const at = (baseUrl: string): ProviderRequest => ({ ...request, model: { ...model, baseUrl } });
  if (isKey(apiKey)) return streamContent(at(keyAddress(model.baseUrl)), vertex.idleTimeoutMs, GOOGLE);
  const placed = at(publisherAddress(model.baseUrl, vertex.env, "google"));
  return withAccess(request, vertex, (access) => {
    const manner = { keyHeaders: () => headersOf(access), readFailure: failureReader(adviceFor(vertex.env)) };
    return streamContent({ ...placed, apiKey: access?.token }, vertex.idleTimeoutMs, manner);
  });
}

/** Streams one response of Claude on Vertex AI. A key is a token that was fetched elsewhere. @throws ProviderError for every failure. */
export function streamClaude(request: ProviderRequest, vertex: Vertex): Batches {
  const { model, apiKey } = request;
  const placed = { ...request, model: { ...model, baseUrl: publisherAddress(model.baseUrl, vertex.env, "anthropic") } };
  const ask = (access: GoogleAccess | undefined, advice?: string) =>
    streamMessage(placed, vertex.idleTimeoutMs, claudeAt(placed.model, access, advice));
  if (isKey(apiKey)) return ask({ token: apiKey, quotaProject: undefined });
  return withAccess(request, vertex, (access) => ask(access, adviceFor(vertex.env)));
}

function claudeAt({ id, baseUrl }: Model, access: GoogleAccess | undefined, advice?: string): MessagesService {
  return {
    address: baseUrl,
    path: `/models/${encodeURIComponent(id)}:streamRawPredict`,
    headers: { authorization: null, ...headersOf(access), "x-api-key": null },
    toBody: ({ model, ...body }: WireRequest) => ({ anthropic_version: ANTHROPIC_VERSION, ...body }),
    readFailure: failureReader(advice),
  };
}

function isKey(apiKey: string | undefined): apiKey is string {
  return apiKey !== undefined && apiKey !== CREDENTIALS;
}

function headersOf(access: GoogleAccess | undefined): Record<string, string> {
  if (access === undefined) return {};
  const { token, quotaProject } = access;
  return { authorization: `Bearer ${token}`, ...(quotaProject && { "x-goog-user-project": quotaProject }) };
}

function adviceFor(env: Env): string {
  return `${GOOGLE_SIGN_IN} Check that the account may use Vertex AI in the project ${googleProject(env)}.`;
}

/** Reads Google's failures. Those of Anthropic, which also occur, name their type differently. */
function failureReader(advice: string | undefined): ServiceManner["readFailure"] {
  return (json) => {
    const failure = readGoogleFailure(json);
    return failure === undefined || failure.type === "" ? undefined : { ...failure, advice };
  };
}

/** Sends the request with a token, and once more with a new one if the service refuses it. Other servers than Google's receive none by default. */
async function* withAccess(
  { model, apiKey, signal }: ProviderRequest,
  { login }: Vertex,
  ask: (access: GoogleAccess | undefined) => Batches,
): AsyncGenerator<readonly ProviderEvent[], void> {
  if (apiKey === undefined && !isGoogles(model.baseUrl)) return yield* ask(undefined);
  const access = await login.access(signal);
  try {
    // A refused request produces no events.
    yield* ask(access);
  } catch (error) {
    if (!(error instanceof ProviderError) || error.status !== 401) throw error;
    login.forget(access);
    yield* ask(await login.access(signal));
  }
}
