import { keyVariable } from "../config/credentials.ts";
import type { Model } from "../protocol/model.ts";
import { ProviderError, type ProviderErrorKind } from "./provider.ts";

/** A refused request, as far as it could be read. */
export interface RefusedRequest {
  status: number;
  /** The service's word for the failure, "" when the body had none. */
  type: string;
  message: string;
  headers: Headers | undefined;
  /** The base64 data of the image that the message is about, where it names one. */
  image?: string | undefined;
  /** The delay that the body names, in ms, used if the headers have none. */
  waitMs?: number | undefined;
  /** Advice on refused credentials other than a key. */
  advice?: string | undefined;
}

const QUOTA =
  /credit balance|billing|quota|usage limit|spend(?:ing)? limit|insufficient (?:credits?|balance|funds)|payment required/i;
const CONTEXT_OVERFLOW =
  /(?:prompt|input) is too long|(?:maximum|exceeds?|exceeded)\b.{0,40}\bcontext|context (?:window|length|limit)|input token count|too many (?:input )?tokens/i;

const KIND_OF_TYPE: Readonly<Record<string, ProviderErrorKind>> = {
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "quota",
  rate_limit_error: "rate_limit",
  overloaded_error: "overloaded",
  api_error: "server",
  timeout_error: "timeout",
  request_too_large: "context_overflow",
  invalid_request_error: "invalid_request",
  not_found_error: "invalid_request",
  invalid_api_key: "auth",
  insufficient_quota: "quota",
  rate_limit_exceeded: "rate_limit",
  context_length_exceeded: "context_overflow",
  server_error: "server",
  server_is_overloaded: "overloaded",
  slow_down: "overloaded",
  invalid_prompt: "invalid_request",
  invalid_encrypted_content: "invalid_request",
  INVALID_ARGUMENT: "invalid_request",
  FAILED_PRECONDITION: "invalid_request",
  NOT_FOUND: "invalid_request",
  MISSING_THOUGHT_SIGNATURE: "invalid_request",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  RESOURCE_EXHAUSTED: "rate_limit",
  UNAVAILABLE: "overloaded",
  DEADLINE_EXCEEDED: "timeout",
  accessDeniedException: "auth",
  expiredTokenException: "auth",
  unrecognizedClientException: "auth",
  throttlingException: "rate_limit",
  serviceQuotaExceededException: "quota",
  serviceUnavailableException: "overloaded",
  modelNotReadyException: "overloaded",
  modelTimeoutException: "timeout",
  validationException: "invalid_request",
};

/** Amazon's message for an unknown key. It refuses such requests with 403. */
const ABOUT_KEY = /^Authentication failed\b/;

/** Longer messages of a service are cut, and so are answers that are no message of its format. */
const MAX_MESSAGE_CHARS = 2000;
const MAX_PAGE_CHARS = 500;

/** Returns the beginning of an answer that is no message, such as the page of a proxy. */
export function beginningOf(page: string): string {
  return wholeWords(page.trim(), MAX_PAGE_CHARS);
}

/** Cuts a text where a word ends: half of a key would not be recognized and redacted. */
function wholeWords(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars).replace(/\S*$/, "")}…`;
}

/** Words a request that the service refused. */
export function requestFailure(refused: RefusedRequest, model: Model, cause: unknown): ProviderError {
  const kind = classify(refused);
  const waitMs = retryAfterMs(refused.headers) ?? refused.waitMs;
  return new ProviderError(kind, `${describe(kind, refused, model)}${whenAgain(waitMs)}`, {
    status: refused.status,
    retryAfterMs: waitMs,
    refusedImage: refused.image,
    cause,
  });
}

/** Tells of a wait that is too long to be waited for unasked. */
function whenAgain(waitMs = 0): string {
  const minutes = Math.ceil(waitMs / 60_000);
  if (minutes < 2) return "";
  const hours = minutes < 60 ? "" : `${Math.floor(minutes / 60)} h `;
  return ` Try again in ${hours}${minutes % 60} min.`;
}

/** Words an `error` event in the middle of a stream. */
export function eventFailure(failure: { type: string; message: string; waitMs?: number | undefined }): ProviderError {
  const { type, message } = failure;
  const kind = kindOfLimit(type) ?? kindOfText(message) ?? KIND_OF_TYPE[type] ?? "server";
  const text = wholeWords(type === "" ? message : `${type}: ${message}`, MAX_MESSAGE_CHARS);
  const waitMs = failure.waitMs ?? (kind === "rate_limit" ? namedWaitMs(message) : undefined);
  return new ProviderError(kind, `The model stopped with an error: ${text}`, { retryAfterMs: waitMs });
}

const NAMED_WAIT = /\b(?:try again|retry) in ((?:\d+(?:\.\d+)? ?(?:h|m|s|ms|sec|seconds?)\b ?|\d+[hm](?=\d))+)/i;
const UNIT_MS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/** Reads the wait from messages of OpenAI and Google: "Please try again in 1m2.5s", "Please retry in 58.2s". */
function namedWaitMs(message: string): number | undefined {
  const wait = NAMED_WAIT.exec(message)?.[1];
  if (wait === undefined) return undefined;
  const parts = [...wait.toLowerCase().matchAll(/(\d+(?:\.\d+)?) ?(ms|[hms])/g)];
  return parts.reduce((sum, [, amount, unit = ""]) => sum + Number(amount) * (UNIT_MS[unit] ?? 0), 0);
}

/** Words a reply that the service's safety rules ended. */
export function refusalFailure(explanation: string | undefined): ProviderError {
  const reason = explanation === undefined || explanation === "" ? "" : `: ${explanation}`;
  return new ProviderError(
    "invalid_request",
    `The model declined to respond${reason}. Rephrase your message, restore an earlier point, or select another model.`,
  );
}

/** Words a connection that could not be made or was lost. */
export function connectionFailure(baseUrl: string, cause: unknown): ProviderError {
  const { code, message } = innermost(cause);
  const reason = CONNECTION_REASONS[code] ?? (code === "" ? message : `${message} (${code})`);
  return new ProviderError(
    "network",
    `Couldn't reach ${hostOf(baseUrl)}: ${reason}. Check your network and the address.`,
    {
      cause,
    },
  );
}

/** Returns the failure of a sign-in service that is temporarily unavailable or limits requests. */
export function serviceFailure(url: string, status: number): ProviderError {
  const host = hostOf(url);
  return status === 429
    ? new ProviderError("rate_limit", `${host} is limiting the request rate (429).`, { status })
    : new ProviderError("server", `${host} failed (${status}) and returned no credentials.`, { status });
}

/** Returns the failure of a sign-in service if the status says nothing about the credentials. */
export function passingFailure(url: string, status: number): ProviderError | undefined {
  return status === 429 || status >= 500 ? serviceFailure(url, status) : undefined;
}

/** Words a stream that ended before its message was complete. */
export function cutStreamFailure(baseUrl: string, cause?: unknown): ProviderError {
  return new ProviderError("network", `Lost the connection to ${hostOf(baseUrl)} during the response.`, {
    cause,
  });
}

/** Words an answer without a single event, such as the page of a hotel's network. */
export function strangeAnswerFailure(baseUrl: string): ProviderError {
  return new ProviderError(
    "network",
    `${hostOf(baseUrl)} returned something other than a message. Check your network and the address ${baseUrl}.`,
  );
}

/** Words a server from which nothing came for too long. */
export function silenceFailure(baseUrl: string, idleTimeoutMs: number): ProviderError {
  const seconds = Math.round(idleTimeoutMs / 1000);
  return new ProviderError("timeout", `Request timed out: ${hostOf(baseUrl)} sent nothing for ${seconds} seconds.`);
}

const CONNECTION_REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "unknown host name (ENOTFOUND)",
  EAI_AGAIN: "couldn't look up the host name (EAI_AGAIN)",
  ECONNREFUSED: "connection refused (ECONNREFUSED)",
  ECONNRESET: "the connection was reset (ECONNRESET)",
  ETIMEDOUT: "the connection timed out (ETIMEDOUT)",
  UND_ERR_CONNECT_TIMEOUT: "the connection timed out",
  UND_ERR_SOCKET: "the other side closed the connection",
};

function classify({ status, type, message }: RefusedRequest): ProviderErrorKind {
  if (status === 402 || type === "insufficient_quota") return "quota";
  if (status === 413) return "context_overflow";
  if (status === 401) return "auth";
  const kind = kindOfLimit(type) ?? kindOfText(message);
  if (kind === "quota" || (kind === "context_overflow" && status === 400)) return kind;
  if (status === 403) return "auth";
  if (status === 408) return "timeout";
  if (status === 429) return "rate_limit";
  if (status === 529 || KIND_OF_TYPE[type] === "overloaded") return "overloaded";
  return status >= 500 ? "server" : "invalid_request";
}

const LIMITS: ReadonlySet<string> = new Set(["rate_limit_exceeded", "RESOURCE_EXHAUSTED", "throttlingException"]);

/**
 * Recognizes limits per minute by their error code, because messages of OpenAI and Google mention billing and quotas, and Amazon's mention too many
 * tokens.
 */
function kindOfLimit(type: string): "rate_limit" | undefined {
  return LIMITS.has(type) ? "rate_limit" : undefined;
}

function kindOfText(message: string): ProviderErrorKind | undefined {
  if (QUOTA.test(message)) return "quota";
  return CONTEXT_OVERFLOW.test(message) ? "context_overflow" : undefined;
}

function describe(kind: ProviderErrorKind, { status, message, advice }: RefusedRequest, model: Model): string {
  const host = hostOf(model.baseUrl);
  const facts = `${status}: ${wholeWords(message, MAX_MESSAGE_CHARS)}`;
  switch (kind) {
    case "auth":
      if (advice !== undefined) return `${host} doesn't accept the credentials for ${model.id} (${facts}). ${advice}`;
      return status === 401 || ABOUT_KEY.test(message)
        ? `${host} rejected the API key (${facts}). To change it, run "Tiller: Set API Key" in VS Code, or set ${keyName(model)} and restart.`
        : `${host} doesn't allow this key to use ${model.id} (${facts}). Check the key's permissions, or select another model.`;
    case "quota":
      return `${host} reports a problem with your account (${facts}). Check your plan, credits, and limits.`;
    case "context_overflow":
      return `The chat is too long for ${model.id} (${facts}).`;
    case "rate_limit":
      return `${host} is limiting the request rate (${facts}).`;
    case "overloaded":
      return `${host} is overloaded (${facts}).`;
    case "timeout":
      return `Request timed out at ${host} (${facts}).`;
    case "server":
      return `${host} failed (${facts}).`;
    default:
      return status === 404
        ? `${host} doesn't know the model ${model.id} (${facts}). Select another model, or check the address ${model.baseUrl}.`
        : `${host} rejected the request (${facts}).`;
  }
}

function keyName(model: Model): string {
  return keyVariable(model.provider) ?? `the key of provider "${model.provider}"`;
}

/** Returns the name of a server for people. */
export function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

function innermost(error: unknown): { code: string; message: string } {
  let found = { code: "", message: String(error) };
  let current = error;
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    const code = "code" in current && typeof current.code === "string" ? current.code : "";
    found = { code: code || found.code, message: current.message || found.message };
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return found;
}

function retryAfterMs(headers: Headers | undefined): number | undefined {
  const ms = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const value = headers?.get("retry-after");
  if (value === null || value === undefined) return undefined;
  const waitMs = Number(value) * 1000;
  if (Number.isFinite(waitMs)) return Math.max(0, waitMs);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
