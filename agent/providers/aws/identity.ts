import type { Env } from "../../config/paths.ts";
import type { Profiles } from "./profiles.ts";

/** Credentials for requests to AWS. */
export interface AwsIdentity {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  /** The time at which they expire, in ms since 1970; undefined if they don't expire. */
  expiresAt?: number | undefined;
}

/** Thrown when there are no credentials. The message says why, and what to do. */
export class NoIdentity extends Error {}

/** The inputs of a search for credentials. */
export interface Search {
  env: Env;
  profiles: Profiles;
  signal: AbortSignal;
  /** Called with each secret that the search reads, such as the token of a sign-in. */
  hide(secret: string): void;
}
