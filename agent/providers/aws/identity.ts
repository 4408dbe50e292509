import type { Env } from "../../config/paths.ts";
import type { Profiles } from "./profiles.ts";

/** Credentials for requests to AWS. */
export interface AwsIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  /** When they expire, in ms since 1970; never without it. */
  expiresAt?: number | undefined;
}

/** Says why there are no credentials, and what to do. */
export class NoIdentity extends Error {}

/** What credentials are looked for with. */
export interface Search {
  env: Env;
  profiles: Profiles;
  signal: AbortSignal;
  /** Takes a secret that was met on the way, such as the token of a sign-in. */
  hide(secret: string): void;
}
