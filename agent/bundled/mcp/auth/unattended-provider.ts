import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import * as z from "zod";
import type { OAuthConfig } from "../oauth-config.ts";
import { SignInFailed } from "../sign-in-needed.ts";

const GRANT = "urn:ietf:params:oauth:grant-type";
const TOKEN_TYPE = "urn:ietf:params:oauth:token-type";

const ExchangeResponse = z.object({ access_token: z.string().min(1) });

interface UnattendedProviderOptions {
  config: OAuthConfig;
  serverUrl: string;
  service: OAuthDiscoveryState;
  scope: string | undefined;
  fetch: FetchLike;
}

/** Provides the SDK's client with the data for a token without a user. The token is kept only in memory. */
export class UnattendedProvider implements OAuthClientProvider {
  readonly redirectUrl = undefined;
  readonly addClientAuthentication: OAuthClientProvider["addClientAuthentication"];
  readonly #options: UnattendedProviderOptions;
  #client: OAuthClientInformationMixed;
  #tokens: OAuthTokens | undefined;

  private constructor(
    options: UnattendedProviderOptions,
    authentication: OAuthClientProvider["addClientAuthentication"],
  ) {
    const { clientId = "", clientSecret, issuer } = options.config;
    this.#options = options;
    this.#client = { client_id: clientId, client_secret: clientSecret, issuer };
    if (authentication !== undefined) this.addClientAuthentication = authentication;
  }

  static async create(options: UnattendedProviderOptions): Promise<UnattendedProvider> {
    const { clientId = "", privateKey, algorithm = "RS256" } = options.config;
    if (privateKey === undefined) return new UnattendedProvider(options, undefined);
    const { createPrivateKeyJwtAuth } = await import("@modelcontextprotocol/sdk/client/auth-extensions.js");
    const authentication = createPrivateKeyJwtAuth({ issuer: clientId, subject: clientId, privateKey, alg: algorithm });
    return new UnattendedProvider(options, authentication);
  }

  get clientMetadata(): OAuthClientMetadata {
    return { redirect_uris: [], scope: this.#options.scope };
  }

  clientInformation(): OAuthClientInformationMixed {
    return this.#client;
  }

  /** Called with the service that accepted the client: it stays the only one that gets its credentials. */
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.#client = client;
  }

  tokens(): OAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.#tokens = tokens;
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#options.service;
  }

  async prepareTokenRequest(scope?: string): Promise<URLSearchParams> {
    const params = new URLSearchParams(await this.#grant());
    if (scope) params.set("scope", scope);
    return params;
  }

  redirectToAuthorization(): void {
    throw new SignInFailed("its sign-in service wants a browser.");
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    return "";
  }

  async #grant(): Promise<Record<string, string>> {
    const { identityProvider } = this.#options.config;
    if (identityProvider === undefined) return { grant_type: "client_credentials" };
    return { grant_type: `${GRANT}:jwt-bearer`, assertion: await this.#exchange(identityProvider) };
  }

  /** Exchanges the user's token of the identity provider for one that the server's sign-in service takes. */
  async #exchange(provider: NonNullable<OAuthConfig["identityProvider"]>): Promise<string> {
    const { serverUrl, service, scope } = this.#options;
    const body = new URLSearchParams({
      grant_type: `${GRANT}:token-exchange`,
      requested_token_type: `${TOKEN_TYPE}:id-jag`,
      audience: service.authorizationServerMetadata?.issuer ?? service.authorizationServerUrl,
      resource: service.resourceMetadata?.resource ?? serverUrl,
      subject_token: provider.idToken,
      subject_token_type: `${TOKEN_TYPE}:id_token`,
      client_id: provider.clientId,
      ...(scope === undefined ? {} : { scope }),
    });
    const response = await this.#options.fetch(provider.tokenEndpoint, { method: "POST", body, redirect: "manual" });
    const { success, data } = ExchangeResponse.safeParse(await response.json().catch(() => undefined));
    if (response.ok && success) return data.access_token;
    throw new SignInFailed(`the identity provider refused the "idToken" of its entry (HTTP ${response.status}).`);
  }
}
