import { setTimeout as delay } from "node:timers/promises";
import {
  auth,
  discoverOAuthServerInfo,
  extractWWWAuthenticateParams,
  type OAuthDiscoveryState,
} from "@modelcontextprotocol/sdk/client/auth.js";
import * as z from "zod";
import { unlessAborted } from "../../../util/unless-aborted.ts";
import { type AccessParts, credentialsKey } from "../access-parts.ts";
import { isUnattended, type OAuthConfig } from "../oauth-config.ts";
import { type Challenge, SignInDeclined, SignInFailed, SignInNeeded } from "../sign-in-needed.ts";
import { authFailure } from "./auth-failure.ts";
import { createAuthFetch } from "./auth-fetch.ts";
import { visitBrowser } from "./browser-visit.ts";
import { ClientProvider } from "./client-provider.ts";
import { type Credentials, StoredCredentials } from "./credentials.ts";
import { refresh } from "./refresh.ts";
import { coversScope, wantedScope } from "./scopes.ts";
import { UnattendedProvider } from "./unattended-provider.ts";

/** The time that the user has in the browser. */
const SIGN_IN_LIMIT_MS = 5 * 60_000;
/** The time that another agent has to store a token. */
const OTHERS_MS = 1_000;
/** Matches the metadata of a service that names itself in its answers (RFC 9207). */
const NamesItself = z.object({ authorization_response_iss_parameter_supported: z.literal(true) });
const SIGN_IN = "Sign In";
const NOT_NOW = "Not Now";
const NOT_SIGNED_IN = "you aren't signed in. To sign in, run /mcp.";

interface SignInWish {
  challenge?: Challenge;
  /** Releases the caller; other callers may still wait for the same sign-in. */
  signal: AbortSignal;
  /** True when the user asked for it. */
  isWanted: boolean;
}

/** Gets and keeps the token for one server, on the SDK's OAuth client. */
export class SignInDesk {
  readonly #parts: AccessParts;
  readonly #config: OAuthConfig;
  readonly #credentials: StoredCredentials;
  #known: Credentials | undefined;
  /** The token of a client that needs no user. */
  #unattended: UnattendedProvider | undefined;
  #renewing: Promise<string> | undefined;
  #signingIn: Promise<void> | undefined;
  /** The number of callers that wait for the sign-in. */
  #waiting = 0;
  /** The scopes that the user didn't want to sign in for. The user isn't asked again, but can sign in with `/mcp`. */
  readonly #declined = new Set<string>();
  #end = new AbortController();

  constructor(parts: AccessParts) {
    const { config, secrets } = parts;
    this.#parts = parts;
    this.#config = config.oauth ?? {};
    this.#credentials = new StoredCredentials(secrets, credentialsKey(config));
  }

  /** Returns the present token. */
  async token(): Promise<string | undefined> {
    if (isUnattended(this.#config)) return this.#unattended?.tokens()?.access_token;
    this.#known ??= await this.#credentials.read();
    return this.#known.tokens?.access_token;
  }

  /**
   * Returns a new token in place of one that was refused; undefined when a token isn't the reason. Requests that are refused
   * at the same time share it. @throws SignInNeeded, SignInFailed
   */
  async renew(response: Response, refused: string | undefined): Promise<string | undefined> {
    const challenge = challengeOf(response, refused);
    if (challenge === undefined) return undefined;
    this.#renewing ??= this.#renew(challenge).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  /** Signs the user in with the browser; all who ask at the same time share it. @throws SignInFailed */
  async signIn({ challenge, signal, isWanted }: SignInWish): Promise<void> {
    signal.throwIfAborted();
    const wish = challenge?.scope ?? "";
    if (!isWanted && this.#declined.has(wish)) throw new SignInDeclined(NOT_SIGNED_IN);
    this.#signingIn ??= this.#signIn(challenge, isWanted).finally(() => {
      this.#signingIn = undefined;
    });
    this.#waiting += 1;
    try {
      await unlessAborted(this.#signingIn, signal, 0);
      this.#declined.clear();
    } catch (error) {
      if (error instanceof SignInDeclined) this.#declined.add(wish);
      throw error;
    } finally {
      this.#waiting -= 1;
      if (signal.aborted && this.#waiting === 0) this.end();
    }
    signal.throwIfAborted();
  }

  /** Forgets the credentials. */
  async signOut(): Promise<void> {
    this.end();
    this.#known = undefined;
    this.#unattended = undefined;
    await this.#credentials.remove();
  }

  /** Ends a sign-in that is under way. */
  end(): void {
    this.#end.abort();
    this.#end = new AbortController();
  }

  async #renew(challenge: Challenge): Promise<string> {
    if (isUnattended(this.#config)) return this.#renewUnattended(challenge);
    const other = await this.#tokenOfOthers(challenge);
    if (other !== undefined) return other;
    const tokens = this.#known?.tokens;
    if (challenge.isStepUp || tokens?.refresh_token === undefined) throw new SignInNeeded(challenge);
    const service = await this.#discover(challenge);
    const { serverUrl, fetchFn } = this.#options();
    const [config, credentials] = [this.#config, this.#credentials];
    const isRefreshed = await this.#auth(() => refresh({ serverUrl, config, credentials, service, fetch: fetchFn }));
    // Another agent may have used the refresh token first, and be about to store the new one.
    if (!isRefreshed) await delay(OTHERS_MS, undefined, { signal: this.#end.signal });
    const token = await this.#tokenOfOthers(challenge);
    if (token === undefined) throw new SignInNeeded(challenge);
    return token;
  }

  /** Another agent, or another window, may have signed in or refreshed meanwhile. */
  async #tokenOfOthers({ refused, scope, isStepUp }: Challenge): Promise<string | undefined> {
    this.#known = await this.#credentials.read();
    const { tokens } = this.#known;
    const isNew = tokens !== undefined && tokens.access_token !== refused;
    return isNew && (!isStepUp || coversScope(tokens.scope, scope)) ? tokens.access_token : undefined;
  }

  async #renewUnattended(challenge: Challenge): Promise<string> {
    const service = await this.#discover(challenge);
    const scope = wantedScope({
      challenge,
      service,
      granted: this.#unattended?.tokens()?.scope,
      configured: this.#config.scopes,
    });
    const serverUrl = this.#parts.config.url;
    const { fetchFn } = this.#options();
    const bound = this.#unattended?.clientInformation().issuer;
    const config = { ...this.#config, issuer: this.#config.issuer ?? bound };
    const provider = await UnattendedProvider.create({ config, serverUrl, service, scope, fetch: fetchFn });
    await this.#auth(() => auth(provider, { ...this.#options(), scope }));
    this.#unattended = provider;
    return provider.tokens()?.access_token ?? "";
  }

  async #signIn(challenge: Challenge | undefined, isWanted: boolean): Promise<void> {
    const { signal } = this.#end;
    const service = await this.#discover(challenge, signal);
    this.#assertPossible(service);
    if (!isWanted) await this.#askUser(service, signal);
    if (!isWanted && challenge !== undefined && (await this.#tokenOfOthers(challenge)) !== undefined) return;
    const { tokens, redirectUrl } = await this.#credentials.read();
    const granted = tokens?.scope;
    const scope = wantedScope({ challenge, service, granted, configured: this.#config.scopes });
    const { name, ui, openUrl, config } = this.#parts;
    const { callbackPort } = this.#config;
    const metadata = service.authorizationServerMetadata;
    signal.throwIfAborted();
    const visit = visitBrowser({
      server: { name, url: config.url },
      port: { port: callbackPort ?? portOf(redirectUrl), isFixed: callbackPort !== undefined },
      limitMs: SIGN_IN_LIMIT_MS,
      issuer: metadata?.issuer,
      namesItself: NamesItself.safeParse(metadata).success,
      ui: ui(),
      openUrl,
      signal,
      begin: (visit, onPage) => {
        const parts = { config: this.#config, credentials: this.#credentials, service, scope };
        const provider = new ClientProvider({ ...parts, visit, onPage });
        return (code) => {
          const authorize = () => auth(provider, { ...this.#options(signal), scope, authorizationCode: code });
          return this.#auth(authorize, () => [code, provider.codeVerifier(), provider.clientSecret]);
        };
      },
    });
    await visit.catch((error: unknown) => this.#unlessOthers(challenge, isWanted, error));
    this.#known = await this.#credentials.read();
  }

  /** @throws the error of a sign-in, unless another agent or window has signed in in the meantime. */
  async #unlessOthers(challenge: Challenge | undefined, isWanted: boolean, error: unknown): Promise<void> {
    if (isWanted || challenge === undefined || error instanceof SignInDeclined) throw error;
    if ((await this.#tokenOfOthers(challenge)) === undefined) throw error;
  }

  async #askUser(
    { authorizationServerMetadata, authorizationServerUrl }: OAuthDiscoveryState,
    signal: AbortSignal,
  ): Promise<void> {
    const { name, ui } = this.#parts;
    const page = authorizationServerMetadata?.authorization_endpoint ?? authorizationServerUrl;
    const question = `MCP server "${name}" asks you to sign in at ${new URL(page).host}.`;
    const answer = await ui().select(question, [SIGN_IN, NOT_NOW], { signal });
    if (answer !== SIGN_IN) throw new SignInDeclined(NOT_SIGNED_IN);
  }

  async #discover(challenge: Challenge | undefined, signal = this.#end.signal): Promise<OAuthDiscoveryState> {
    const { url, oauth } = this.#parts.config;
    const { fetchFn } = this.#options(signal);
    const resourceMetadataUrl = challenge?.resourceMetadataUrl;
    const service = await this.#auth(() =>
      discoverOAuthServerInfo(url, { fetchFn, ...(resourceMetadataUrl && { resourceMetadataUrl }) }),
    );
    const isNothing = service.resourceMetadata === undefined && service.authorizationServerMetadata === undefined;
    if (isNothing && oauth === undefined && challenge?.wantsToken !== true) {
      const status = challenge === undefined ? "" : ` (HTTP ${challenge.status})`;
      throw new SignInFailed(
        `it refuses access${status} and offers no sign-in. Add "headers" with an Authorization to its entry in ${this.#parts.file}.`,
      );
    }
    return { ...service, ...(resourceMetadataUrl && { resourceMetadataUrl: resourceMetadataUrl.href }) };
  }

  /**
   * Says what to add when the service has no way to register a client. Refuses a service that can't bind a code to this
   * sign-in.
   */
  #assertPossible({ authorizationServerMetadata: metadata }: OAuthDiscoveryState): void {
    const { clientId, clientMetadataUrl } = this.#config;
    if (metadata !== undefined && metadata.code_challenge_methods_supported?.includes("S256") !== true) {
      const { host } = new URL(metadata.issuer);
      throw new SignInFailed(
        `its sign-in service (${host}) doesn't say that it supports PKCE (S256), which MCP requires.`,
      );
    }
    if (clientId !== undefined || metadata === undefined || metadata.registration_endpoint !== undefined) return;
    if (clientMetadataUrl !== undefined && metadata.client_id_metadata_document_supported === true) return;
    throw new SignInFailed(
      `its sign-in service (${new URL(metadata.issuer).host}) knows only registered clients. Register one there, and add "oauth": { "clientId": "…" } to its entry in ${this.#parts.file}.`,
    );
  }

  #options(signal = this.#end.signal) {
    const { url } = this.#parts.config;
    return { serverUrl: url, fetchFn: createAuthFetch(url, signal) };
  }

  /** Does work of the SDK's client. @throws its errors in words for the user, without secrets, these included. */
  async #auth<T>(work: () => Promise<T>, more: () => readonly (string | undefined)[] = () => []): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const { client, tokens } = await this.#credentials.read();
      const { clientSecret, privateKey, identityProvider } = this.#config;
      throw authFailure(error, [
        ...more(),
        ...[clientSecret, privateKey, identityProvider?.idToken],
        ...[client?.client_secret, tokens?.access_token, tokens?.refresh_token],
      ]);
    }
  }
}

function challengeOf(response: Response, refused: string | undefined): Challenge | undefined {
  const { status } = response;
  const { scope, resourceMetadataUrl, error } = extractWWWAuthenticateParams(response);
  const isStepUp = status === 403 && error === "insufficient_scope";
  if (status !== 401 && !isStepUp) return undefined;
  const wantsToken = /^bearer\b/i.test(response.headers.get("www-authenticate") ?? "");
  return { status, scope, resourceMetadataUrl, wantsToken, isStepUp, refused };
}

function portOf(redirectUrl: string | undefined): number | undefined {
  return redirectUrl === undefined ? undefined : Number(new URL(redirectUrl).port);
}
