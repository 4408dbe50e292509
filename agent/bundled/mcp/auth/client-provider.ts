import type { OAuthClientProvider, OAuthDiscoveryState } from "@modelcontextprotocol/sdk/client/auth.js";
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from "@modelcontextprotocol/sdk/shared/auth.js";
import type { OAuthConfig } from "../oauth-config.ts";
import { SignInFailed } from "../sign-in-needed.ts";
import { clientInformation } from "./client-information.ts";
import type { Credentials, StoredCredentials } from "./credentials.ts";

const CLIENT_NAME = "Tiller";

/** The browser's part of a sign-in. */
export interface BrowserVisit {
  redirectUrl: string;
  state: string;
}

interface ClientProviderOptions {
  config: OAuthConfig;
  credentials: StoredCredentials;
  service: OAuthDiscoveryState;
  scope: string | undefined;
  visit: BrowserVisit;
  /** Called instead of opening the browser. */
  onPage(url: URL): void;
}

/** Provides the SDK's client with the data for one sign-in of a user. */
export class ClientProvider implements OAuthClientProvider {
  readonly #options: ClientProviderOptions;
  #verifier = "";
  /** The client of this sign-in. It is stored with its token, because another sign-in at the same time has its own. */
  #client: Credentials["client"];

  constructor(options: ClientProviderOptions) {
    this.#options = options;
  }

  /** The secret of the client of this sign-in. */
  get clientSecret(): string | undefined {
    return this.#client?.client_secret;
  }

  get redirectUrl(): string {
    return this.#options.visit.redirectUrl;
  }

  get clientMetadataUrl(): string | undefined {
    return this.#options.config.clientMetadataUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: CLIENT_NAME,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: this.#authMethod(),
      scope: this.#options.scope,
    };
  }

  state(): string {
    return this.#options.visit.state;
  }

  /** A client that was registered with another address of the callback is of no use: the service sends the browser only there. */
  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { config, credentials } = this.#options;
    if (this.#client !== undefined) return clientInformation(config, { client: this.#client });
    const stored = await credentials.read();
    const client = clientInformation(config, stored);
    const isRegistered = config.clientId === undefined && client?.client_id !== config.clientMetadataUrl;
    return isRegistered && stored.redirectUrl !== this.redirectUrl ? undefined : client;
  }

  /** A secret of the entry stays in the entry. */
  saveClientInformation(information: OAuthClientInformationMixed): void {
    const { client_id, issuer } = information;
    this.#client = this.#options.config.clientId === undefined ? { ...information } : { client_id, issuer };
  }

  /** None: a refresh has been tried before the user was asked. */
  tokens(): undefined {
    return undefined;
  }

  /** A service that names no scopes has granted those that were asked for. */
  async saveTokens(tokens: OAuthTokens): Promise<void> {
    const { credentials, scope } = this.#options;
    await credentials.change({
      ...(this.#client !== undefined && { client: this.#client, redirectUrl: this.redirectUrl }),
      tokens: { ...tokens, scope: tokens.scope ?? scope },
    });
  }

  redirectToAuthorization(url: URL): void {
    this.#options.onPage(url);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  discoveryState(): OAuthDiscoveryState {
    return this.#options.service;
  }

  async invalidateCredentials(kind: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (kind !== "client" && kind !== "all") return;
    const { credentials, config } = this.#options;
    if (config.clientId !== undefined) {
      throw new SignInFailed('its sign-in service rejects the "clientId" or "clientSecret" of its entry.');
    }
    this.#client = undefined;
    await credentials.change({ client: undefined, redirectUrl: undefined });
  }

  /** A program on the user's machine can't keep a secret, but some services insist on one. */
  #authMethod(): string {
    const methods = this.#options.service.authorizationServerMetadata?.token_endpoint_auth_methods_supported ?? [];
    if (methods.length === 0 || methods.includes("none")) return "none";
    return ["client_secret_basic", "client_secret_post"].find((method) => methods.includes(method)) ?? "none";
  }
}
