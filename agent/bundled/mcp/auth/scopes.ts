import type { OAuthServerInfo } from "@modelcontextprotocol/sdk/client/auth.js";
import type { Challenge } from "../sign-in-needed.ts";

/** Allows the service to give a refresh token. */
const OFFLINE = "offline_access";

interface ScopeSources {
  challenge: Challenge | undefined;
  service: OAuthServerInfo;
  /** The scopes of the present token. */
  granted: string | undefined;
  configured: readonly string[] | undefined;
}

/** Returns the scopes to ask for: those that the server names, or else those of the entry. */
export function wantedScope({ challenge, service, granted, configured }: ScopeSources): string | undefined {
  const named = challenge?.scope ?? service.resourceMetadata?.scopes_supported?.join(" ") ?? configured?.join(" ");
  if (!named) return undefined;
  const scopes = new Set(named.split(" "));
  if (challenge?.isStepUp) for (const scope of granted?.split(" ") ?? []) scopes.add(scope);
  if (service.authorizationServerMetadata?.scopes_supported?.includes(OFFLINE)) scopes.add(OFFLINE);
  return [...scopes].filter((scope) => scope !== "").join(" ");
}

/** True when the token has all scopes that the server asks for; also when it names none. */
export function coversScope(granted: string | undefined, wanted: string | undefined): boolean {
  const has = new Set(granted?.split(" "));
  return (wanted?.split(" ") ?? []).every((scope) => has.has(scope));
}
