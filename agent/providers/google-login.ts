import { readFile } from "node:fs/promises";
import http from "node:http";
import { text } from "node:stream/consumers";
import * as z from "zod";
import { findGoogleSource, GOOGLE_SIGN_IN, type GoogleSource } from "../config/google-cloud.ts";
import type { Env } from "../config/paths.ts";
import { errorMessage } from "../protocol/errors.ts";
import { crypto } from "../util/late-node.ts";
import { ProviderError } from "./provider.ts";
import { fetchFromProvider } from "./provider-fetch.ts";
import { useProxyFromEnvironment } from "./proxy.ts";
import { RenewedSecret } from "./renewed-secret.ts";
import { beginningOf, connectionFailure, hostOf } from "./request-errors.ts";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL = "https://oauth2.googleapis.com/token";
const LIMIT_MS = 15_000;
const HOUR_S = 3600;
/** A token is replaced this long before it expires, so that it doesn't expire while a request waits. */
const EARLY_MS = 3 * 60_000;

const shared = { token_uri: z.string().default(TOKEN_URL), quota_project_id: z.string().optional() };
const Credentials = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("authorized_user"),
    client_id: z.string(),
    client_secret: z.string(),
    refresh_token: z.string(),
    ...shared,
  }),
  z.object({
    type: z.literal("service_account"),
    client_email: z.string(),
    private_key: z.string(),
    private_key_id: z.string().optional(),
    ...shared,
  }),
]);
type Credentials = z.infer<typeof Credentials>;

const Token = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().catch(HOUR_S) });
type Token = z.infer<typeof Token>;

const Refusal = z.object({ error: z.string(), error_description: z.string().default("") });

/** The authorization of a request to Google Cloud. */
export interface GoogleAccess {
  readonly token: string;
  /** The project that is charged, if the credentials name one. */
  readonly quotaProject: string | undefined;
}

/** Fetches tokens for the application default credentials of an environment, and keeps each until shortly before it expires. */
export class GoogleLogin {
  readonly #env: Env;
  readonly #secrets = new Set<string>();
  readonly #current = new RenewedSecret<{ access: GoogleAccess; endsAt: number }>({
    fetch: () => this.#fetch(),
    endOf: ({ endsAt }) => endsAt,
    earlyMs: EARLY_MS,
  });

  constructor(env: Env) {
    this.#env = env;
  }

  /**
   * Returns a valid token. Requests that need one at the same time share it.
   * @throws ProviderError that says what to do.
   */
  async access(signal: AbortSignal): Promise<GoogleAccess> {
    return (await this.#current.get(signal)).access;
  }

  /** Discards a token that the service refused; the next request fetches another one. */
  forget({ token }: GoogleAccess): void {
    this.#current.forget(({ access }) => access.token === token);
  }

  /** Returns all secrets that were read or fetched. */
  secrets(): readonly string[] {
    return [...this.#secrets];
  }

  async #fetch(): Promise<{ access: GoogleAccess; endsAt: number }> {
    const source = findGoogleSource(this.#env);
    if (source === undefined)
      throw new ProviderError("auth", `Couldn't find credentials for Google Cloud. ${GOOGLE_SIGN_IN}`);
    const { token, quotaProject } =
      source.kind === "metadata" ? await askMetadataServer(source) : await this.#signIn(await readCredentials(source));
    this.#secrets.add(token.access_token);
    const access = { token: token.access_token, quotaProject };
    return { access, endsAt: Date.now() + token.expires_in * 1000 };
  }

  async #signIn(credentials: Credentials): Promise<{ token: Token; quotaProject: string | undefined }> {
    const { type, token_uri: url, quota_project_id } = credentials;
    const secrets =
      type === "authorized_user" ? [credentials.refresh_token, credentials.client_secret] : [credentials.private_key];
    for (const secret of secrets) this.#secrets.add(secret);
    const token = await exchange(url, type === "authorized_user" ? refreshOf(credentials) : assertionOf(credentials));
    return { token, quotaProject: this.#env.GOOGLE_CLOUD_QUOTA_PROJECT?.trim() || quota_project_id };
  }
}

/** Creates the login for this environment. It reads nothing before a token is needed. */
export function createGoogleLogin(env: Env): GoogleLogin {
  return new GoogleLogin(env);
}

async function readCredentials({ path }: Extract<GoogleSource, { kind: "file" }>): Promise<Credentials> {
  let json: unknown;
  try {
    json = JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    const why = error instanceof SyntaxError ? "it isn't valid JSON" : errorMessage(error);
    throw new ProviderError(
      "auth",
      `Couldn't read the credentials for Google Cloud in ${path}: ${why}. ${GOOGLE_SIGN_IN}`,
    );
  }
  const credentials = Credentials.safeParse(json);
  if (credentials.success) return credentials.data;
  throw new ProviderError("auth", `The credentials for Google Cloud in ${path} ${problemOf(json)}. ${GOOGLE_SIGN_IN}`);
}

function problemOf(json: unknown): string {
  const { type } = z.object({ type: z.string() }).safeParse(json).data ?? {};
  if (type === undefined) return "are of a kind that Tiller can't use";
  if (type === "authorized_user" || type === "service_account") return "are incomplete";
  return `have the type "${type}", which Tiller can't use`;
}

function refreshOf(credentials: Extract<Credentials, { type: "authorized_user" }>): Record<string, string> {
  const { client_id, client_secret, refresh_token } = credentials;
  return { grant_type: "refresh_token", client_id, client_secret, refresh_token };
}

/** Fetches a token for a service account, which signs the request with its key. */
function assertionOf(credentials: Extract<Credentials, { type: "service_account" }>): Record<string, string> {
  const { client_email, private_key, private_key_id, token_uri } = credentials;
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "RS256", typ: "JWT", ...(private_key_id === undefined ? {} : { kid: private_key_id }) };
  const claims = { iss: client_email, scope: SCOPE, aud: token_uri, iat: now, exp: now + HOUR_S };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: `${signed}.${sign(signed, private_key)}`,
  };
}

function sign(signed: string, key: string): string {
  try {
    return crypto().sign("RSA-SHA256", Buffer.from(signed), key).toString("base64url");
  } catch {
    throw new ProviderError(
      "auth",
      `The key of the service account can't be read. Download a new key file. ${GOOGLE_SIGN_IN}`,
    );
  }
}

async function exchange(url: string, form: Record<string, string>): Promise<Token> {
  await useProxyFromEnvironment();
  let status: number;
  let body: string;
  try {
    const response = await fetchFromProvider(url, {
      method: "POST",
      body: new URLSearchParams(form),
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    status = response.status;
    body = await response.text();
  } catch (error) {
    throw error instanceof ProviderError ? error : connectionFailure(url, error);
  }
  return readToken(url, status, body);
}

function readToken(url: string, status: number, body: string): Token {
  const json = parse(body);
  const token = Token.safeParse(json);
  if (status === 200 && token.success) return token.data;
  // The answer may contain a token, so it must not be shown.
  if (status === 200)
    throw new ProviderError("server", `${hostOf(url)} returned no token for Google Cloud (200).`, { status });
  const refusal = Refusal.safeParse(json).data;
  const why = refusal === undefined ? beginningOf(body) : `${refusal.error} ${refusal.error_description}`.trim();
  if (refusal !== undefined && status < 500 && status !== 429) {
    throw new ProviderError("auth", `Google rejected the credentials (${status}: ${why}). ${GOOGLE_SIGN_IN}`, {
      status,
    });
  }
  const kind = status === 429 ? "rate_limit" : "server";
  throw new ProviderError(kind, `${hostOf(url)} returned no token for Google Cloud (${status}: ${why}).`, { status });
}

/** Asks the metadata server of Google's own machines, directly because proxies can't reach it. */
async function askMetadataServer({ host }: Extract<GoogleSource, { kind: "metadata" }>): Promise<{
  token: Token;
  quotaProject: undefined;
}> {
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token`;
  let answer: { status: number; body: string };
  try {
    answer = await getDirectly(url, { "metadata-flavor": "Google" });
  } catch (error) {
    throw connectionFailure(url, error);
  }
  if (answer.status === 404) {
    throw new ProviderError("auth", `This machine has no service account for Google Cloud (404). ${GOOGLE_SIGN_IN}`);
  }
  return { token: readToken(url, answer.status, answer.body), quotaProject: undefined };
}

function getDirectly(url: string, headers: Record<string, string>): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const options = { headers, agent: new http.Agent(), signal: AbortSignal.timeout(LIMIT_MS) };
    const request = http.get(url, options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    request.on("error", reject);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
