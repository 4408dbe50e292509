import { errorMessage } from "../protocol/errors.ts";
import { ProviderError, type ProviderRequest, type RequestHeaders } from "./provider.ts";
import { requireSendable } from "./sendable.ts";

/**
 * The body as those who look at requests want it; undefined when nobody does. They get a copy: parts of a body are kept for the next requests.
 * @throws ProviderError when they keep the request from being sent.
 */
export async function hookedBody(
  { hooks, signal }: Pick<ProviderRequest, "hooks" | "signal">,
  body: object,
): Promise<object | undefined> {
  if (hooks === undefined) return undefined;
  try {
    return await hooks.payload(structuredClone(body));
  } catch (cause) {
    if (signal.aborted) throw new ProviderError("aborted", "Request was aborted", { cause });
    throw new ProviderError("invalid_request", `Couldn't send the request: ${errorMessage(cause)}`, { cause });
  }
}

/**
 * The model's headers and those of this request, as those who look at requests want them.
 * @throws ProviderError when no request can carry what they want.
 */
export async function hookedHeaders(request: ProviderRequest): Promise<RequestHeaders> {
  const { model, hooks } = request;
  const own = { ...model.headers, ...request.headers };
  if (hooks?.headers === undefined) return own;
  const headers = await hooks.headers(own);
  requireSendable({ ...request, headers });
  return headers;
}
