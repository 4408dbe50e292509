import type { Env } from "../../config/paths.ts";
import { type AwsIdentity, NoIdentity, type Search } from "./identity.ts";
import { fromContainer, fromInstance } from "./metadata.ts";
import { fromProcess } from "./process.ts";
import type { Profile } from "./profiles.ts";
import { fromSso } from "./sso.ts";
import { assumeRole, assumeRoleWithToken } from "./sts.ts";

/**
 * Finds credentials in the same order as AWS's own programs: environment, profile, token file, container, machine.
 * @throws NoIdentity that says what is missing.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
 */
export async function findIdentity(search: Search): Promise<AwsIdentity> {
  const { env, profiles } = search;
  const found = fromEnvironment(env) ?? (await ofSelectedProfile(search));
  if (found !== undefined) return found;
  const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: role } = env;
  if (tokenFile && role) {
    return await assumeRoleWithToken({ role, tokenFile, session: env.AWS_ROLE_SESSION_NAME }, search);
  }
  const ofPlace = (await fromContainer(search)) ?? (await fromInstance(search));
  if (ofPlace !== undefined) return ofPlace;
  throw new NoIdentity(
    `No AWS credentials. Run \`aws configure sso\` and set AWS_PROFILE to the profile, or set AWS_BEARER_TOKEN_BEDROCK or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and restart. (Profile "${profiles.name}" has none.)`,
  );
}

function fromEnvironment({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token }: Env) {
  return id && secret ? keys(id, secret, token) : undefined;
}

function keys(accessKeyId: string, secretAccessKey: string, sessionToken: string | undefined): AwsIdentity {
  return { accessKeyId, secretAccessKey, ...(sessionToken ? { sessionToken } : {}) };
}

async function ofSelectedProfile(search: Search): Promise<AwsIdentity | undefined> {
  const { profiles, env } = search;
  const profile = profiles.profile(profiles.name);
  if (profile !== undefined) return await ofProfile(profiles.name, profile, search, []);
  if (env.AWS_PROFILE) throw new NoIdentity(`AWS has no profile "${profiles.name}". Correct AWS_PROFILE, and restart.`);
  return undefined;
}

/** Returns undefined for a profile without credentials. @param seen the profiles that use this one as their source. */
async function ofProfile(
  name: string,
  profile: Profile,
  search: Search,
  seen: readonly string[],
): Promise<AwsIdentity | undefined> {
  const own = ownKeys(profile);
  // A profile may name itself as the source of a role's credentials.
  if (own !== undefined && seen.includes(name)) return own;
  if (profile.role_arn) return await ofRole(name, profile.role_arn, profile, search, seen);
  if (own !== undefined) return own;
  if (profile.credential_process) return await fromProcess(profile.credential_process, name, search.signal);
  if (profile.sso_account_id) return await fromSso(name, profile, search);
  if (profile.login_session) {
    return await fromProcess(
      `aws configure export-credentials --format process --profile "${name}"`,
      name,
      search.signal,
    );
  }
  return undefined;
}

function ownKeys({ aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token }: Profile) {
  return id && secret ? keys(id, secret, token) : undefined;
}

async function ofRole(
  name: string,
  role: string,
  profile: Profile,
  search: Search,
  seen: readonly string[],
): Promise<AwsIdentity> {
  const session = profile.role_session_name;
  if (profile.web_identity_token_file) {
    return await assumeRoleWithToken({ role, tokenFile: profile.web_identity_token_file, session }, search);
  }
  if (profile.mfa_serial) {
    throw new NoIdentity(
      `Profile "${name}" requires an MFA code, which Tiller can't ask for. Run \`eval "$(aws configure export-credentials --profile ${name} --format env)"\`, and restart.`,
    );
  }
  const base = await sourceOf(name, profile, search, seen);
  if (base === undefined) {
    throw new NoIdentity(
      `Profile "${name}" has no credentials for assuming its role. Correct source_profile in ~/.aws/config.`,
    );
  }
  const { external_id: externalId, duration_seconds: seconds, region } = profile;
  return await assumeRole({ role, session, externalId, seconds, region, base, profile: name }, search);
}

async function sourceOf(
  name: string,
  { source_profile: source, credential_source: place }: Profile,
  search: Search,
  seen: readonly string[],
): Promise<AwsIdentity | undefined> {
  if (source) {
    if (seen.includes(source)) throw new NoIdentity(`Profile "${source}" is its own source. Correct ~/.aws/config.`);
    const profile = search.profiles.profile(source);
    return profile && (await ofProfile(source, profile, search, [...seen, name]));
  }
  if (place === "Environment") return fromEnvironment(search.env);
  if (place === "EcsContainer") return await fromContainer(search);
  return place === "Ec2InstanceMetadata" ? await fromInstance(search) : undefined;
}
