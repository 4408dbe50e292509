import { loadSharedConfigFiles } from "@smithy/core/config";
import type { Env } from "../../config/paths.ts";
import { awsFiles } from "../../config/sign-ins.ts";

/** The settings of one profile, by name. */
export type Profile = Readonly<Record<string, string | undefined>>;

/** The profiles and sign-in sections of AWS's files. */
export interface Profiles {
  /** The name of the selected profile. */
  readonly name: string;
  /** Returns undefined if there is no such profile. */
  profile(name: string): Profile | undefined;
  ssoSession(name: string): Profile | undefined;
}

const SSO_PREFIX = "sso-session.";

/** Returns the name of the profile that the environment selects. */
export function profileName(env: Env): string {
  return env.AWS_PROFILE?.trim() || env.AWS_DEFAULT_PROFILE?.trim() || "default";
}

/** Reads the profiles. Files that can't be read count as empty. */
export async function readProfiles(env: Env): Promise<Profiles> {
  const { config, credentials } = awsFiles(env);
  const files = await loadSharedConfigFiles({ configFilepath: config, filepath: credentials, ignoreCache: true });
  const { configFile = {}, credentialsFile = {} } = files;
  return {
    name: profileName(env),
    profile(name) {
      if (!Object.hasOwn(configFile, name) && !Object.hasOwn(credentialsFile, name)) return undefined;
      return { ...configFile[name], ...credentialsFile[name] };
    },
    ssoSession: (name) => configFile[`${SSO_PREFIX}${name}`],
  };
}
