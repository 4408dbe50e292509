import type { FetchLike } from "@modelcontextprotocol/sdk/shared/transport.js";
import { type AccessParts, credentialsKey } from "./access-parts.ts";
import type { SignInDesk } from "./auth/sign-in-desk.ts";
import { isUnattended } from "./oauth-config.ts";
import { type Challenge, SignInNeeded } from "./sign-in-needed.ts";

/** A server that refuses this many tokens in a row is taken at its word. */
const MAX_RENEWALS = 2;
/** The number of times that one request may send the user to the browser: once to sign in, and once for more scopes. */
const MAX_SIGN_INS = 2;

/**
 * Sends the requests to a server on the network, with its token if there is one. The code that signs in is loaded when the
 * server first refuses a request, or if tokens are stored.
 */
export class ServerAccess {
  readonly #parts: AccessParts;
  #desk: Promise<SignInDesk> | undefined;
  #isStored: Promise<boolean> | undefined;
  #challenge: Challenge | undefined;

  /** @param challenge the server's last one, from before it was started anew. */
  constructor(parts: AccessParts, challenge?: Challenge) {
    this.#parts = parts;
    this.#challenge = challenge;
  }

  /** Why the server last asked for a sign-in. */
  get challenge(): Challenge | undefined {
    return this.#challenge;
  }

  /** True when the user can sign in: the entry brings no authorization of its own. */
  get isForUsers(): boolean {
    const { headers, oauth } = this.#parts.config;
    return !hasAuthorization(headers) && !isUnattended(oauth ?? {});
  }

  /** True when a token of the user is stored. */
  async isSignedIn(): Promise<boolean> {
    this.#isStored = undefined; // another agent may have signed in
    return (await (await this.#stored())?.token()) !== undefined;
  }

  /** A fetch that adds the token, and renews it when that takes no user. @throws SignInNeeded when it does. */
  readonly fetch: FetchLike = async (url, init) => {
    if (hasAuthorization(this.#parts.config.headers) || !this.#isServer(url)) return fetch(url, init);
    let token = await (await this.#stored())?.token();
    for (let renewals = 0; ; renewals++) {
      const response = await fetch(url, withToken(init, token));
      if ((response.status !== 401 && response.status !== 403) || renewals === MAX_RENEWALS) return response;
      try {
        token = await (await this.#load()).renew(response, token);
      } catch (error) {
        await response.body?.cancel();
        throw error;
      }
      if (token === undefined) return response;
      await response.body?.cancel();
    }
  };

  /**
   * Does work that sends requests, and does it again after the user has signed in for it.
   * @throws SignInFailed when the user doesn't sign in, and whatever the work throws.
   */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let signIns = 0; ; signIns++) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof SignInNeeded) || signIns === MAX_SIGN_INS) throw error;
        this.#challenge = error.challenge;
        await (await this.#load()).signIn({ challenge: error.challenge, signal, isWanted: false });
      }
    }
  }

  /** Signs in a user who asked for it. @throws SignInFailed */
  async signIn(signal: AbortSignal): Promise<void> {
    await (await this.#load()).signIn({ challenge: this.#challenge, signal, isWanted: true });
  }

  /** Forgets the tokens. */
  async signOut(): Promise<void> {
    await (await this.#load()).signOut();
  }

  /** Ends a sign-in that is under way. */
  async end(): Promise<void> {
    (await this.#desk)?.end();
  }

  async #stored(): Promise<SignInDesk | undefined> {
    this.#isStored ??= this.#isKept();
    return this.#desk !== undefined || (await this.#isStored) ? this.#load() : undefined;
  }

  async #isKept(): Promise<boolean> {
    const { secrets, config } = this.#parts;
    return (await secrets.read(credentialsKey(config))) !== undefined;
  }

  #load(): Promise<SignInDesk> {
    this.#desk ??= import("./auth/sign-in-desk.ts").then(({ SignInDesk }) => new SignInDesk(this.#parts));
    return this.#desk;
  }

  #isServer(url: string | URL): boolean {
    return new URL(url).origin === new URL(this.#parts.config.url).origin;
  }
}

function hasAuthorization(headers: Record<string, string>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit | undefined {
  if (token === undefined) return init;
  const headers = new Headers(init?.headers);
  headers.set("authorization", `Bearer ${token}`);
  return { ...init, headers };
}
