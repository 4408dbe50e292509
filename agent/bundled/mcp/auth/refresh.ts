import { type OAuthDiscoveryState, refreshAuthorization } from "@modelcontextprotocol/sdk/client/auth.js";
import { InvalidClientError, OAuthError, ServerError } from "@modelcontextprotocol/sdk/server/auth/errors.js";
import { checkResourceAllowed } from "@modelcontextprotocol/sdk/shared/auth-utils.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { OAuthConfig } from "../oauth-config.ts";
import { SignInFailed } from "../sign-in-needed.ts";
import { clientInformation } from "./client-information.ts";
import type { StoredCredentials } from "./credentials.ts";

interface RefreshOptions {
  serverUrl: string;
  config: OAuthConfig;
  credentials: StoredCredentials;
  service: OAuthDiscoveryState;
  fetch: FetchLike;
}

/**
 * Exchanges the refresh token for a new token and stores it. @returns false when only the user can help: there is none, it is of
 * another service, or it is no longer valid. @throws when the service can't be asked.
 */
export async function refresh({ serverUrl, config, credentials, service, fetch }: RefreshOptions): Promise<boolean> {
  const stored = await credentials.read();
  const { tokens } = stored;
  const client = clientInformation(config, stored);
  const { authorizationServerUrl, authorizationServerMetadata, resourceMetadata } = service;
  if (tokens?.refresh_token === undefined || client === undefined) return false;
  if (tokens.issuer !== authorizationServerUrl) return false;
  const resource = resourceMetadata?.resource;
  if (resource !== undefined && !checkResourceAllowed({ requestedResource: serverUrl, configuredResource: resource })) {
    throw new SignInFailed("its sign-in service is that of another server.");
  }
  try {
    const refreshed = await refreshAuthorization(authorizationServerUrl, {
      metadata: authorizationServerMetadata,
      clientInformation: client,
      refreshToken: tokens.refresh_token,
      // As the service wrote it: a URL would get a slash at its end.
      resource,
      fetchFn: fetch,
    });
    await credentials.change({ tokens: { ...tokens, ...refreshed } });
    return true;
  } catch (error) {
    if (!(error instanceof OAuthError) || error instanceof ServerError) throw error;
    // The next sign-in registers anew.
    if (error instanceof InvalidClientError) await credentials.change({ client: undefined, redirectUrl: undefined });
    return false;
  }
}
