import type { ExtensionUi } from "../../extensions/author.ts";
import type { ServerConfig } from "./server-config.ts";
import type { ServerSurroundings } from "./server-surroundings.ts";

/** The server of which tokens are kept, and the services for that. */
export interface AccessParts extends Pick<ServerSurroundings, "secrets" | "openUrl"> {
  ui(): Pick<ExtensionUi, "select">;
  name: string;
  /** The file with the server's entry. */
  file: string;
  config: Extract<ServerConfig, { kind: "http" }>;
}

/** Returns the key of the stored credentials. Entries with the same address and client share them. */
export function credentialsKey({ url, oauth }: AccessParts["config"]): string {
  return oauth?.clientId === undefined ? url : `${url} ${oauth.clientId}`;
}
