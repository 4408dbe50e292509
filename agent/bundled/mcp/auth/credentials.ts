import { OAuthTokensSchema } from "@modelcontextprotocol/sdk/shared/auth.js";
import * as z from "zod";
import type { SecretStore } from "../mcp-parts.ts";

const ClientInformation = z.object({
  client_id: z.string(),
  client_secret: z.string().optional(),
  client_id_issued_at: z.number().optional(),
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
  issuer: z.string().optional(),
});

const Credentials = z.object({
  /** How the sign-in service knows Tiller. */
  client: ClientInformation.optional(),
  /** The address of the callback that the client is registered with. */
  redirectUrl: z.string().optional(),
  tokens: OAuthTokensSchema.optional(),
});

/** All that is kept of a sign-in. */
export type Credentials = z.infer<typeof Credentials>;

/** The credentials for one server and client, stored as a secret. */
export class StoredCredentials {
  readonly #store: SecretStore;
  readonly #key: string;

  /** @param key the result of `credentialsKey`. */
  constructor(store: SecretStore, key: string) {
    this.#store = store;
    this.#key = key;
  }

  /** Reads them anew: another agent may have changed them. Unreadable ones count as none. */
  async read(): Promise<Credentials> {
    return credentialsIn(await this.#store.read(this.#key));
  }

  change(changes: Partial<Credentials>): Promise<void> {
    return this.#store.change(this.#key, (before) => JSON.stringify({ ...credentialsIn(before), ...changes }));
  }

  remove(): Promise<void> {
    return this.#store.remove(this.#key);
  }
}

function credentialsIn(text: string | undefined): Credentials {
  const credentials = text === undefined ? undefined : Credentials.safeParse(parsed(text));
  return credentials?.success ? credentials.data : {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
