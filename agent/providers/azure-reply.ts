import type { Env } from "../config/paths.ts";
import type { Model } from "../protocol/model.ts";
import { azureAddress, deploymentOf, mayGetToken } from "./azure-place.ts";
import type { EntraLogin } from "./entra-login.ts";
import { ProviderError, type ProviderEvent, type ProviderRequest } from "./provider.ts";
import { hostOf } from "./request-errors.ts";
import type { RefusedParts } from "./responses-refused.ts";
import { streamResponse } from "./responses-reply.ts";

export { createEntraLogin } from "./entra-login.ts";

interface AzureSettings {
  env: Env;
  login: EntraLogin;
  idleTimeoutMs: number;
  refused: RefusedParts;
}

/**
 * Streams one response of Azure OpenAI, with the key or a token of Microsoft Entra. A refused token is fetched again once.
 * @throws ProviderError for everything that goes wrong.
 */
export async function* streamFromAzure(
  request: ProviderRequest,
  { env, login, idleTimeoutMs, refused }: AzureSettings,
): AsyncGenerator<readonly ProviderEvent[], void> {
  const { apiKey, signal } = request;
  const model = { ...request.model, id: deploymentOf(request.model, env), baseUrl: azureAddress(request.model, env) };
  const needsToken = apiKey === undefined && !hasOwnHeader(request);
  if (needsToken && !mayGetToken(request.model)) throw noToken(model);
  const version = env.AZURE_OPENAI_API_VERSION?.trim();
  const path = version ? `/responses?api-version=${encodeURIComponent(version)}` : "/responses";
  for (let isSecond = false; ; isSecond = true) {
    const token = needsToken ? await login.token(signal) : undefined;
    try {
      const keyHeaders = token === undefined ? keyHeader(apiKey) : { authorization: `Bearer ${token}` };
      return yield* streamResponse({ ...request, model }, { idleTimeoutMs, refused, path, keyHeaders });
    } catch (error) {
      if (error instanceof ProviderError && error.status === 404) throw withoutDeployment(error, request);
      if (token === undefined || !isRefusal(error)) throw error;
      login.forget();
      if (isSecond || (await login.token(signal)) === token) throw withAdvice(error, login);
    }
  }
}

function keyHeader(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined ? {} : { "api-key": apiKey };
}

function noToken({ provider, baseUrl }: Model): ProviderError {
  return new ProviderError(
    "auth",
    `Tiller sent no token to ${hostOf(baseUrl)} because this isn't an https:// address of Azure. Set apiKey for provider "${provider}" in models.json, or AZURE_OPENAI_BASE_URL to the address, and restart.`,
  );
}

/** A gateway may need headers of its own. */
function hasOwnHeader({ model, headers }: ProviderRequest): boolean {
  return Object.keys({ ...model.headers, ...headers }).some((name) => /^(?:authorization|api-key)$/i.test(name));
}

function isRefusal(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.kind === "auth";
}

function withoutDeployment(error: ProviderError, { model }: ProviderRequest): ProviderError {
  const advice = `If its deployment has another name, set AZURE_OPENAI_DEPLOYMENT_NAME_MAP, such as ${model.id}=name, and restart.`;
  return error.reworded(`${error.message} ${advice}`);
}

function withAdvice(error: ProviderError, login: EntraLogin): ProviderError {
  const [facts] = /\(\d{3}: .*\)/s.exec(error.message) ?? [error.message];
  return error.reworded(
    `Azure OpenAI refused ${login.owner()} ${facts}. Sign in as somebody with the role "Cognitive Services OpenAI User" for the resource, or set AZURE_OPENAI_API_KEY.`,
  );
}
