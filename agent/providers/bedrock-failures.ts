import { NoIdentity } from "./aws/identity.ts";
import type { AwsLogin } from "./aws/login.ts";
import type { BedrockPlace } from "./bedrock-place.ts";
import { ProviderError, type ProviderRequest } from "./provider.ts";

interface Asked {
  request: ProviderRequest;
  place: BedrockPlace;
  login: AwsLogin;
}

const HAS_EXPIRED = /expired/i;
/** Then it isn't about the model. */
const KNOWS_NOBODY = /rejected the API key/;
const NEEDS_PROFILE = /inference profile|on-demand throughput/i;
const UNKNOWN_ID = /model identifier is invalid|could not resolve the foundation model/i;
const UNKNOWN_HOST = /unknown host name/;

/** Adds to a failure what to do about it here, where the general text says too little. */
export function withAdvice(error: unknown, asked: Asked): unknown {
  if (!(error instanceof ProviderError) || error.cause instanceof NoIdentity) return error;
  const advice = adviceFor(error, asked);
  return advice === undefined ? error : error.reworded(`${error.message} ${advice}`);
}

function adviceFor({ kind, message, status }: ProviderError, { request, place, login }: Asked): string | undefined {
  const { model, apiKey } = request;
  if (kind === "auth" && HAS_EXPIRED.test(message)) {
    login.forget();
    return apiKey === undefined ? login.renewal() : "Create a new key, and set AWS_BEARER_TOKEN_BEDROCK.";
  }
  if (kind === "auth" && status === 403 && !KNOWS_NOBODY.test(message)) {
    return `Request access to ${model.id} in ${place.region}, and check that its owner may call bedrock:InvokeModelWithResponseStream.`;
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
