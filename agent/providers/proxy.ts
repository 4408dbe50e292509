let done: Promise<void> | undefined;

/** Node can send `fetch` through HTTP_PROXY and HTTPS_PROXY, minus NO_PROXY, from 24.14 on; before that they have no effect. */
export function useProxyFromEnvironment(): Promise<void> {
  done ??= import("node:http").then(({ default: http }) => {
    if (typeof http.setGlobalProxyFromEnv === "function") http.setGlobalProxyFromEnv();
  });
  return done;
}
