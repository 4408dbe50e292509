import { exec } from "node:child_process";
import * as z from "zod";
import type { Env } from "../config/paths.ts";
import { withTimeLimit } from "../util/with-time-limit.ts";
import { askMachine, type MachineAnswer } from "./machine-service.ts";
import { jsonIn } from "./parse-event.ts";
import { ProviderError } from "./provider.ts";
import { useProxyFromEnvironment } from "./proxy.ts";
import { RenewedSecret } from "./renewed-secret.ts";
import { connectionFailure, passingFailure, serviceFailure } from "./request-errors.ts";

/** A token is renewed this long before it expires, in ms. */
const EARLY_MS = 5 * 60_000;
const SERVICE_LIMIT_MS = 20_000;
const COMMAND_LIMIT_MS = 30_000;
const MAX_OUTPUT_CHARS = 64 * 1024;
const MAX_SHOWN_CHARS = 300;
const RESOURCE = "https://cognitiveservices.azure.com";
const AUTHORITY = "https://login.microsoftonline.com";
const MACHINE = "http://169.254.169.254";

/** Tokens of Microsoft Entra for Azure OpenAI, fetched when they are needed and kept until shortly before they expire. */
export interface EntraLogin {
  /** @throws ProviderError that says what to do if there is none. */
  token(signal: AbortSignal): Promise<string>;
  /** Makes the next request fetch a new token. */
  forget(): void;
  /** Names the owner of the last token. */
  owner(): string;
  /** Returns all secrets that were fetched. */
  secrets(): readonly string[];
}

interface Token {
  text: string;
  /** In ms since 1970. */
  expiresAt: number;
  owner: string;
}

/** Creates the login for this environment: a service principal, a managed identity, or the account of the Azure CLI. */
export function createEntraLogin(env: Env): EntraLogin {
  const secrets = new Set<string>();
  const machine = { isThere: true, isKnown: false };
  let owner = "the token";
  const current = new RenewedSecret<Token>({
    async fetch(signal) {
      const token = await fetchToken({ env, signal, machine });
      secrets.add(token.text);
      owner = token.owner;
      return token;
    },
    endOf: ({ expiresAt }) => expiresAt,
    earlyMs: EARLY_MS,
  });
  return {
    token: async (signal) => (await current.get(signal)).text,
    forget: () => current.forget(),
    owner: () => owner,
    secrets: () => [...secrets],
  };
}

interface Search {
  env: Env;
  signal: AbortSignal;
  /** Remembers whether the service of Azure's virtual machines exists, and whether it has issued a token. */
  machine: { isThere: boolean; isKnown: boolean };
}

async function fetchToken(search: Search): Promise<Token> {
  const { env, signal } = search;
  return (
    (await ofPrincipal(search)) ??
    (await ofIdentity(env, signal)) ??
    (await ofMachine(search)) ??
    (await ofUser(signal))
  );
}

/** Some services write numbers as text. */
const PrincipalToken = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number() });
const IdentityToken = z.object({ access_token: z.string().min(1), expires_on: z.coerce.number() });
const UserToken = z.object({ accessToken: z.string().min(1), expires_on: z.number().optional() });
const Refusal = z.object({ error_description: z.string() }).catch({ error_description: "" });

/** @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow */
async function ofPrincipal({ env, signal }: Search): Promise<Token | undefined> {
  const { AZURE_TENANT_ID: tenant, AZURE_CLIENT_ID: id, AZURE_CLIENT_SECRET: secret } = env;
  if (!tenant || !id || !secret) return undefined;
  const authority = (env.AZURE_AUTHORITY_HOST || AUTHORITY).replace(/\/+$/, "");
  const url = `${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`;
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: id,
    client_secret: secret,
    scope: `${RESOURCE}/.default`,
  });
  const { status, text } = await post(url, body, signal);
  const passing = passingFailure(url, status);
  if (passing !== undefined) throw passing;
  const answer = status === 200 ? PrincipalToken.safeParse(jsonIn(text)) : undefined;
  if (!answer?.success) {
    const reason = Refusal.parse(jsonIn(text)).error_description.split("\n")[0]?.slice(0, MAX_SHOWN_CHARS).trim();
    throw new ProviderError(
      "auth",
      `Microsoft Entra refused the service principal (${status}${reason ? `: ${reason}` : ""}). Check AZURE_TENANT_ID, AZURE_CLIENT_ID, and AZURE_CLIENT_SECRET, and restart.`,
    );
  }
  const { access_token: token, expires_in: seconds } = answer.data;
  return { text: token, expiresAt: Date.now() + seconds * 1000, owner: `the service principal ${id}` };
}

async function post(
  url: string,
  body: URLSearchParams,
  signal: AbortSignal,
): Promise<{ status: number; text: string }> {
  await useProxyFromEnvironment();
  const limit = withTimeLimit(signal, SERVICE_LIMIT_MS);
  try {
    const response = await fetch(url, { method: "POST", body, redirect: "error", signal: limit.signal });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    throw signal.aborted ? error : connectionFailure(url, error);
  } finally {
    limit.end();
  }
}

/** The identity of an app or a function. @see https://learn.microsoft.com/azure/app-service/overview-managed-identity */
async function ofIdentity(env: Env, signal: AbortSignal): Promise<Token | undefined> {
  const { IDENTITY_ENDPOINT: endpoint, IDENTITY_HEADER: header } = env;
  if (!endpoint || !header || !URL.canParse(endpoint)) return undefined;
  const url = identityAddress(endpoint, "2019-08-01", env);
  const answer = await askMachine(url, { headers: { "X-IDENTITY-HEADER": header }, isKnown: true }, signal);
  return answer === undefined ? undefined : identityToken(url, answer, true);
}

/** The identity of a virtual machine. @see https://learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token */
async function ofMachine({ env, signal, machine }: Search): Promise<Token | undefined> {
  if (!machine.isThere) return undefined;
  const host = (env.AZURE_POD_IDENTITY_AUTHORITY_HOST || MACHINE).replace(/\/+$/, "");
  const url = identityAddress(`${host}/metadata/identity/oauth2/token`, "2018-02-01", env);
  const { isKnown } = machine;
  const answer = await askMachine(url, { headers: { Metadata: "true" }, isKnown }, signal);
  machine.isThere = isKnown || answer !== undefined;
  const token = answer === undefined ? undefined : identityToken(url, answer, isKnown);
  machine.isKnown ||= token !== undefined;
  return token;
}

function identityAddress(endpoint: string, version: string, { AZURE_CLIENT_ID: id }: Env): string {
  const url = new URL(endpoint);
  url.searchParams.set("api-version", version);
  url.searchParams.set("resource", RESOURCE);
  if (id) url.searchParams.set("client_id", id);
  return url.href;
}

/** Returns undefined if there is no identity. @param isKnown false if the machine may belong to another cloud, without such a service. */
function identityToken(address: string, { status, body }: MachineAnswer, isKnown: boolean): Token | undefined {
  // These failures are temporary, such as during an update of the service.
  if (status === 410 || (isKnown && status === 404)) throw serviceFailure(address, status);
  const read = status === 200 ? IdentityToken.safeParse(jsonIn(body)) : undefined;
  if (!read?.success) return undefined;
  const { access_token: text, expires_on: seconds } = read.data;
  return { text, expiresAt: seconds * 1000, owner: "the managed identity" };
}

/** The account that is signed in with the Azure CLI. */
async function ofUser(signal: AbortSignal): Promise<Token> {
  const printed = await printedBy(`az account get-access-token --resource ${RESOURCE} --output json`, signal);
  const answer = UserToken.safeParse(jsonIn(printed));
  if (!answer.success) throw signedOut("`az account get-access-token` printed no token.");
  const { accessToken: text, expires_on: seconds } = answer.data;
  // Older versions print only a local time without a zone.
  const expiresAt = seconds === undefined ? Date.now() + 2 * EARLY_MS : seconds * 1000;
  return { text, expiresAt, owner: "your account of `az login`" };
}

function printedBy(command: string, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: COMMAND_LIMIT_MS, maxBuffer: MAX_OUTPUT_CHARS, signal, windowsHide: true };
    exec(command, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(signal.aborted ? error : signedOut(stderr.trim().split("\n").at(-1)?.slice(0, MAX_SHOWN_CHARS) ?? ""));
    });
  });
}

function signedOut(reason: string): ProviderError {
  return new ProviderError(
    "auth",
    `No credentials for Azure OpenAI. Run \`az login\`, and send your message again, or set AZURE_OPENAI_API_KEY and restart.${reason === "" ? "" : ` (${reason})`}`,
  );
}
