import { ProviderError } from "./provider.ts";

let done: Promise<void> | undefined;

/**
 * Node can send `fetch` through HTTP_PROXY and HTTPS_PROXY, minus NO_PROXY, from 24.14 on; before that they have no effect.
 * @throws ProviderError when Node cannot read them.
 */
export function useProxyFromEnvironment(): Promise<void> {
  done ??= import("node:http").then(({ default: http }) => {
    if (typeof http.setGlobalProxyFromEnv !== "function") return;
    try {
      http.setGlobalProxyFromEnv();
    } catch {
      // Node's words are the variable's text, which may hold a password.
      throw new ProviderError(
        "invalid_request",
        "HTTP_PROXY or HTTPS_PROXY isn't a proxy address, such as http://proxy.example:3128. Correct or unset it, and restart.",
      );
    }
  });
  return done;
}
