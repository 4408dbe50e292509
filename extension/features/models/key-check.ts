import { addressBelow, addressProblem } from "../../../agent/util/server-address.ts";
import { withTimeLimit } from "../../../agent/util/with-time-limit.ts";
import { t } from "../../../webview/l10n.ts";
import type { KeyProvider } from "../../core/keys/key-providers.ts";

const CHECK_TIMEOUT_MS = 10_000;

/** The result of testing a key; `text` is for people. */
export type KeyVerdict =
  | { readonly kind: "good" }
  /** The provider rejects the key. */
  | { readonly kind: "refused"; readonly text: string }
  /** The server was reached, but did not tell whether the key is valid. */
  | { readonly kind: "unknown"; readonly text: string }
  /** The provider was not reached. */
  | { readonly kind: "unreachable"; readonly text: string };

interface CheckOptions {
  /** Replaces the provider's own, such as a gateway of the user. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Tests a key at a free endpoint of the provider. The key is sent there only: redirects are not followed. */
export async function checkKey(
  { name, addressVariable = "", check }: KeyProvider,
  key: string,
  { baseUrl = check.baseUrl, timeoutMs = CHECK_TIMEOUT_MS, signal }: CheckOptions = {},
): Promise<KeyVerdict> {
  if (addressProblem(baseUrl) !== undefined) {
    const form = "https://models.example.com/v1";
    return {
      kind: "unreachable",
      text: t("{0} must be an address such as {1}, without a user name, ?, or #.", addressVariable, form),
    };
  }
  // The path contains the API version; people write base URLs with and without it.
  const url = addressBelow(addressBelow(baseUrl, "").replace(/\/v1$/, ""), check.path);
  const limit = withTimeLimit(signal, timeoutMs);
  try {
    const response = await fetch(url, {
      headers: check.headers(key),
      redirect: "manual",
      signal: limit.signal,
    });
    await response.body?.cancel();
    return judge(response.status, name, hostOf(url));
  } catch (error) {
    const isLate = limit.signal.aborted && signal?.aborted !== true;
    const why = isLate ? t("no response within {0}s", timeoutMs / 1_000) : reason(error);
    return { kind: "unreachable", text: t("Couldn't reach {0} ({1}). Check your network or proxy.", hostOf(url), why) };
  } finally {
    limit.end();
  }
}

function judge(status: number, name: string, host: string): KeyVerdict {
  if (status >= 200 && status < 300) return { kind: "good" };
  if (status === 401 || (status === 400 && name === "Google"))
    return { kind: "refused", text: t("{0} doesn't recognize this API key ({1}).", name, status) };
  if (status === 403) return { kind: "refused", text: t("{0} doesn't allow this API key to be used (403).", name) };
  if (status === 429) return { kind: "good" };
  return { kind: "unknown", text: t("Couldn't test the key because {0} returned {1}.", host, status) };
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Describes a network error, by the system's code if any, such as `ECONNREFUSED`; never with contents of the request. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return t("unknown error");
  const { cause } = error;
  if (cause instanceof Error)
    return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message || error.message;
  return error.name === "AbortError" ? t("canceled") : error.name;
}
