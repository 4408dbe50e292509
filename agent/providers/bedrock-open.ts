import { AwsV4Signer } from "aws4fetch";
import { addressBelow } from "../util/server-address.ts";
import type { WireMessage } from "./anthropic-wire.ts";
import type { AwsIdentity } from "./aws/identity.ts";
import type { AwsLogin } from "./aws/login.ts";
import { credentialAdvice } from "./bedrock-failures.ts";
import type { BedrockPlace } from "./bedrock-place.ts";
import { ConverseFailure, withSmallLetter } from "./bedrock-wire.ts";
import { namedImage } from "./named-image.ts";
import { jsonIn } from "./parse-event.ts";
import { ProviderError, type ProviderRequest } from "./provider.ts";
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
  strangeAnswerFailure,
} from "./request-errors.ts";
import { requireSendable } from "./sendable.ts";

const STREAM_TYPE = "application/vnd.amazon.eventstream";

interface Sending {
  place: BedrockPlace;
  login: AwsLogin;
  json: string;
  /** The conversation, to find an image that a refusal names. */
  messages: readonly WireMessage[];
}

/**
 * Sends a request with the key as a bearer token, or signed with credentials. Expired credentials are fetched again once.
 * @throws ProviderError.
 */
export async function openConverse(
  request: ProviderRequest,
  sending: Sending,
  connection: Connection,
): Promise<ReadableStream<Uint8Array>> {
  const { place, login } = sending;
  const model = { ...request.model, baseUrl: place.baseUrl };
  requireSendable({ ...request, model });
  await useProxyFromEnvironment();
  const headers = await plainHeaders(request);
  for (let isSecond = false; ; isSecond = true) {
    const identity = needsIdentity(request, headers) ? await login.identity(connection.signal) : undefined;
    const response = await send(request, { ...sending, identity, headers }, connection);
    await request.hooks?.response(response.status, Object.fromEntries(response.headers));
    if (response.ok) return bodyOf(response, place.baseUrl);
    const refused = await readRefusal(response, sending.messages);
    if (identity === undefined) throw requestFailure(refused, model, undefined);
    const mayHaveOther = !isSecond && EXPIRED.test(refused.type);
    if (mayHaveOther && (await login.hasOther(identity, connection.signal))) continue;
    const advice = credentialAdvice(refused.message, refused.status, { request, place, login });
    throw requestFailure({ ...refused, advice }, model, undefined);
  }
}

/** Failures that new credentials may solve. */
const EXPIRED = /^(?:expiredToken|unrecognizedClient)/;

function needsIdentity({ apiKey }: ProviderRequest, headers: Headers): boolean {
  return apiKey === undefined && !headers.has("authorization");
}

async function plainHeaders(request: ProviderRequest): Promise<Headers> {
  const headers = new Headers({ "content-type": "application/json", accept: STREAM_TYPE });
  if (request.apiKey !== undefined) headers.set("authorization", `Bearer ${request.apiKey}`);
  for (const [name, value] of Object.entries(await hookedHeaders(request))) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  return headers;
}

interface Signing extends Sending {
  identity: AwsIdentity | undefined;
  headers: Headers;
}

async function send(
  { model }: ProviderRequest,
  { place, json, identity, headers }: Signing,
  { signal }: Connection,
): Promise<Response> {
  const url = addressBelow(place.baseUrl, `/model/${encodeURIComponent(model.id)}/converse-stream`);
  const body = Buffer.from(json);
  try {
    const signed = identity === undefined ? headers : await sign({ url, headers, body }, identity, place.region);
    signal.throwIfAborted();
    return await fetchFromProvider(url, { method: "POST", body, headers: signed, signal });
  } catch (error) {
    if (signal.aborted || error instanceof ProviderError) throw error;
    throw connectionFailure(place.baseUrl, error);
  }
}

async function sign(
  request: { url: string; headers: Headers; body: Uint8Array<ArrayBuffer> },
  { accessKeyId, secretAccessKey, sessionToken }: AwsIdentity,
  region: string,
): Promise<Headers> {
  const signer = new AwsV4Signer({
    ...request,
    method: "POST",
    service: "bedrock",
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  return (await signer.sign()).headers;
}

function bodyOf(response: Response, baseUrl: string): ReadableStream<Uint8Array> {
  if (!response.headers.get("content-type")?.startsWith(STREAM_TYPE)) throw strangeAnswerFailure(baseUrl);
  if (response.body === null) throw cutStreamFailure(baseUrl);
  return response.body;
}

async function readRefusal(response: Response, messages: readonly WireMessage[]): Promise<RefusedRequest> {
  const { status, headers } = response;
  const text = await response.text();
  const message = ConverseFailure.parse(jsonIn(text)) || beginningOf(text) || response.statusText;
  // The name may be followed by an address.
  const name = headers.get("x-amzn-errortype")?.split(":")[0] ?? "";
  return { status, headers, type: withSmallLetter(name), message, image: namedImage(messages, message) };
}
