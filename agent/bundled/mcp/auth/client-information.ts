import type { OAuthClientInformationMixed } from "@modelcontextprotocol/sdk/shared/auth.js";
import type { OAuthConfig } from "../oauth-config.ts";
import type { Credentials } from "./credentials.ts";

/**
 * Returns how Tiller introduces itself to the sign-in service: as the client of the entry, or as the one that it has registered.
 * The service that first accepted the client is the only one that gets its credentials.
 */
export function clientInformation(
  config: OAuthConfig,
  { client }: Credentials,
): OAuthClientInformationMixed | undefined {
  const { clientId, clientSecret, issuer } = config;
  if (clientId === undefined) return client;
  const bound = client?.client_id === clientId ? client?.issuer : undefined;
  return { client_id: clientId, client_secret: clientSecret, issuer: issuer ?? bound };
}
