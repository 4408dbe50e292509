import type { Env } from "../../config/paths.ts";
import { ProviderError } from "../provider.ts";
import { RenewedSecret } from "../renewed-secret.ts";
import { type AwsIdentity, NoIdentity } from "./identity.ts";
import { profileName, readProfiles } from "./profiles.ts";
import { findIdentity } from "./sources.ts";

/** Credentials are renewed this long before they expire, in ms. */
const EARLY_MS = 5 * 60_000;

/** The credentials of AWS on this machine, fetched when they are needed and kept until shortly before they expire. */
export interface AwsLogin {
  /** The profile that the environment selects. */
  readonly profileName: string;
  /** @throws ProviderError that says what to do if there are none. */
  identity(signal: AbortSignal): Promise<AwsIdentity>;
  /** Fetches credentials again. @returns true if they have changed. */
  hasOther(refused: AwsIdentity, signal: AbortSignal): Promise<boolean>;
  /** Makes the next request fetch credentials again, as after a sign-in. */
  forget(): void;
  /** Returns advice on expired credentials. */
  renewal(): string;
  /** Returns the region of the profile. */
  profileRegion(): Promise<string | undefined>;
  /** Returns all secrets that were read or fetched. */
  secrets(): readonly string[];
}

/** Creates the login for this environment. It reads nothing before credentials are needed. */
export function createAwsLogin(env: Env): AwsLogin {
  const secrets = new Set<string>();
  const name = profileName(env);
  const current = new RenewedSecret<AwsIdentity>({
    async fetch(signal) {
      const found = await find(env, signal, (secret) => secrets.add(secret));
      for (const secret of [found.secretAccessKey, found.sessionToken]) if (secret) secrets.add(secret);
      return found;
    },
    endOf: ({ expiresAt = Number.POSITIVE_INFINITY }) => expiresAt,
    earlyMs: EARLY_MS,
  });
  return {
    profileName: name,
    identity: (signal) => current.get(signal),
    async hasOther(refused, signal) {
      const other = await current.renew(signal);
      return other.accessKeyId !== refused.accessKeyId || other.sessionToken !== refused.sessionToken;
    },
    forget() {
      current.forget();
    },
    renewal: () => renewal(env, name),
    profileRegion: async () => (await readProfiles(env)).profile(name)?.region?.trim() || undefined,
    secrets: () => [...secrets],
  };
}

async function find(env: Env, signal: AbortSignal, hide: (secret: string) => void): Promise<AwsIdentity> {
  try {
    return await findIdentity({ env, profiles: await readProfiles(env), signal, hide });
  } catch (cause) {
    if (cause instanceof NoIdentity) throw new ProviderError("auth", cause.message, { cause });
    throw cause;
  }
}

function renewal(env: Env, name: string): string {
  if (env.AWS_ACCESS_KEY_ID)
    return "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN to new ones, and restart.";
  const profile = name === "default" ? "" : ` --profile ${name}`;
  return `Run \`aws sso login${profile}\`, or renew the credentials in another way, and send your message again.`;
}
