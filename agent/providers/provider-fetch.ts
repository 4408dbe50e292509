import { ADDRESS_VARIABLES } from "../config/credentials.ts";
import { ProviderError } from "./provider.ts";
import { hostOf } from "./request-errors.ts";

const MAX_REDIRECTS = 3;
/** More of the body of a failed answer is not read. */
const MAX_FAILURE_BYTES = 64 * 1024;

/**
 * Sends a request that holds a key. Redirects are followed within the server that was asked and to no other one; they keep method and body, but for
 * 303, which asks for something else. Of the body of a failed answer the first 64 KiB are read.
 * @throws ProviderError invalid_request for a redirect to another server.
 */
export async function fetchFromProvider(address: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  let url = new URL(address instanceof Request ? address.url : address);
  let request = init;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await fetch(url, { ...request, redirect: "manual" });
    if (response.ok) return response;
    const location = redirectOf(response);
    if (location === undefined) return withShortBody(response);
    await response.body?.cancel();
    url = sameServer(url, location);
    if (response.status === 303) request = { ...request, method: "GET", body: null };
  }
  throw new ProviderError(
    "invalid_request",
    `${url.host} keeps redirecting requests to itself. Check the address and the server.`,
  );
}

function redirectOf({ status, headers }: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? (headers.get("location") ?? undefined) : undefined;
}

/** @throws ProviderError when the redirect leads to another server. */
function sameServer(from: URL, location: string): URL {
  const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (target?.origin === from.origin) return target;
  const other = target === undefined || target.origin === "null" ? "another address" : target.origin;
  throw new ProviderError(
    "invalid_request",
    `${hostOf(from.href)} redirects requests to ${other}. Tiller sent no key there because the key is for the address you set. If the other address is right, set it as ${Object.values(ADDRESS_VARIABLES).join(" or ")}, or as baseUrl in models.json.`,
  );
}

/** Returns the response with the beginning of its body. The rest is not received: the connection is closed. */
async function withShortBody(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  while (length < MAX_FAILURE_BYTES) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  await reader.cancel();
  const { status, statusText, headers } = response;
  return new Response(Buffer.concat(chunks).subarray(0, MAX_FAILURE_BYTES), { status, statusText, headers });
}
