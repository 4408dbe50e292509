import { NoIdentity } from "./aws/identity.ts";
import type { AwsLogin } from "./aws/login.ts";
import type { BedrockPlace } from "./bedrock-place.ts";
import { ProviderError, type ProviderRequest } from "./provider.ts";

interface Asked {
  request: ProviderRequest;
  place: BedrockPlace;
  login: AwsLogin;
}

const CLOCK = /signature (?:expired|not yet current)/i;
const HAS_EXPIRED = /expired/i;
/** Messages about keys that are wrong or no longer exist. */
const UNKNOWN_KEYS = /security token .* is invalid|signature we calculated does not match/i;
/** The general message for a wrong API key, which has nothing to do with the model. */
const KNOWS_NOBODY = /rejected the API key/;
const NEEDS_PROFILE = /inference profile|on-demand throughput/i;
const UNKNOWN_ID = /model identifier is invalid|could not resolve the foundation model/i;
const UNKNOWN_HOST = /unknown host name/;

/** Adds advice for Bedrock to a failure whose general text says too little. */
export function withAdvice(error: unknown, asked: Asked): unknown {
  if (!(error instanceof ProviderError) || error.cause instanceof NoIdentity) return error;
  const advice = adviceFor(error, asked);
  return advice === undefined || error.message.endsWith(advice) ? error : error.reworded(`${error.message} ${advice}`);
}

/** Returns advice on refused credentials, and forgets those that are no longer valid. */
export function credentialAdvice(message: string, status: number | undefined, asked: Asked): string | undefined {
  const { request, place, login } = asked;
  if (CLOCK.test(message)) return "Set the clock of this machine.";
  if (HAS_EXPIRED.test(message) || UNKNOWN_KEYS.test(message)) {
    login.forget();
    return request.apiKey === undefined ? login.renewal() : "Create a new key, and set AWS_BEARER_TOKEN_BEDROCK.";
  }
  if (status !== 403 || KNOWS_NOBODY.test(message)) return undefined;
  return `Request access to ${request.model.id} in ${place.region}, and check that its owner may call bedrock:InvokeModelWithResponseStream.`;
}

function adviceFor({ kind, message, status }: ProviderError, asked: Asked): string | undefined {
  const { place, request } = asked;
  const { model } = request;
  if (kind === "auth") {
    const advice = credentialAdvice(message, status, asked);
    if (advice !== undefined) return advice;
  }
  if (NEEDS_PROFILE.test(message)) {
    return `Select the model with an area in front of its ID, such as us.${model.id} or global.${model.id}.`;
  }
  if (UNKNOWN_ID.test(message)) {
    return `Check that ${model.id} is available in ${place.region}, which comes from ${place.regionSource}.`;
  }
  if (kind === "network" && UNKNOWN_HOST.test(message)) {
    return `Check that the region ${place.region} exists; it comes from ${place.regionSource}.`;
  }
  return undefined;
}
