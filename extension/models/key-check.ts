import type { KeyProvider } from "./key-providers.ts";

const CHECK_TIMEOUT_MS = 10_000;

/** What a provider says to a key; `text` is for people. */
export type KeyVerdict =
  | { readonly kind: "good" }
  /** The provider does not take it. */
  | { readonly kind: "refused"; readonly text: string }
  /** The address was reached, but is not one that tells. */
  | { readonly kind: "unknown"; readonly text: string }
  /** Nothing that belongs to the provider was reached. */
  | { readonly kind: "unreachable"; readonly text: string };

interface CheckOptions {
  /** In place of the provider's own, such as a gateway of the user's. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Asks the provider whether it takes the key, at an address that costs nothing. The key is sent there only: redirects are not followed. */
export async function checkKey(
  { name, check }: KeyProvider,
  key: string,
  { baseUrl = check.baseUrl, timeoutMs = CHECK_TIMEOUT_MS, signal }: CheckOptions = {},
): Promise<KeyVerdict> {
  const url = `${baseUrl.replace(/\/+$/, "")}${check.path}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      headers: check.headers(key),
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    await response.body?.cancel();
    return judge(response.status, name, hostOf(url));
  } catch (error) {
    const why = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : reason(error);
    return { kind: "unreachable", text: `${hostOf(url)} was not reached: ${why}. Look at network and proxy.` };
  }
}

function judge(status: number, name: string, host: string): KeyVerdict {
  if (status >= 200 && status < 300) return { kind: "good" };
  if (status === 401 || (status === 400 && name === "Google"))
    return { kind: "refused", text: `${name} does not know this key (${status}).` };
  if (status === 403) return { kind: "refused", text: `${name} does not allow this key to be used (403).` };
  if (status === 429) return { kind: "good" };
  return { kind: "unknown", text: `${host} answered with ${status}, so the key could not be tested.` };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** What went wrong, by the system's word where there is one, such as `ECONNREFUSED`; without anything that the request held. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return "an unknown error";
  const { cause } = error;
  if (cause instanceof Error)
    return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message || error.message;
  return error.name === "AbortError" ? "broken off" : error.name;
}
