import { chmod, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { awsHome } from "../../config/sign-ins.ts";
import { crypto } from "../../util/late-node.ts";
import { jsonIn } from "../parse-event.ts";
import { type AwsIdentity, NoIdentity, type Search } from "./identity.ts";
import type { Profile } from "./profiles.ts";
import { askService, serviceAddress } from "./service.ts";

/** A token is renewed this long before it expires, in ms. */
const EARLY_MS = 5 * 60_000;

/** The file in which the AWS CLI stores the token of a sign-in. */
const CachedToken = z.looseObject({
  accessToken: z.string().min(1),
  expiresAt: z.string(),
  refreshToken: z.string().optional(),
  clientId: z.string().optional(),
  clientSecret: z.string().optional(),
});
type CachedToken = z.infer<typeof CachedToken>;

const NewToken = z.object({ accessToken: z.string(), expiresIn: z.number(), refreshToken: z.string().optional() });

const RoleCredentials = z.object({
  roleCredentials: z.object({
    accessKeyId: z.string(),
    secretAccessKey: z.string(),
    sessionToken: z.string(),
    expiration: z.number(),
  }),
});

/** A sign-in: its origin, and the file with its token. */
interface SignIn {
  profile: string;
  region: string;
  path: string;
}

/**
 * Exchanges the token of `aws sso login` for credentials of the profile's role. An expired token is renewed, if the sign-in allows it.
 * @throws NoIdentity when nobody is signed in.
 * @see https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
 */
export async function fromSso(name: string, profile: Profile, search: Search): Promise<AwsIdentity> {
  const signIn = signInOf(name, profile, search);
  const token = await tokenOf(signIn, search);
  const query = new URLSearchParams({
    role_name: profile.sso_role_name ?? "",
    account_id: profile.sso_account_id ?? "",
  });
  const address = serviceAddress(search.env, "sso", signIn.region);
  const init = { headers: { "x-amz-sso_bearer_token": token } };
  const { ok, status, text } = await askService(`${address}/federation/credentials?${query}`, init, search.signal);
  if (status === 401) throw signedOut(signIn);
  const answer = ok ? RoleCredentials.safeParse(jsonIn(text)) : undefined;
  if (!answer?.success) {
    throw new NoIdentity(
      `AWS returned no credentials for role ${profile.sso_role_name} in account ${profile.sso_account_id} (${status}). Check both in profile "${name}".`,
    );
  }
  const { expiration, ...credentials } = answer.data.roleCredentials;
  return { ...credentials, expiresAt: expiration };
}

function signInOf(name: string, profile: Profile, { env, profiles }: Search): SignIn {
  const session = profile.sso_session === undefined ? profile : profiles.ssoSession(profile.sso_session);
  const { sso_start_url: startUrl, sso_region: region } = session ?? {};
  if (!startUrl || !region) {
    throw new NoIdentity(`Profile "${name}" lacks sso_start_url or sso_region. Run \`aws configure sso\`.`);
  }
  const key = crypto()
    .createHash("sha1")
    .update(profile.sso_session ?? startUrl)
    .digest("hex");
  return { profile: name, region, path: join(awsHome(env), ".aws", "sso", "cache", `${key}.json`) };
}

function signedOut({ profile }: SignIn): NoIdentity {
  const option = profile === "default" ? "" : ` --profile ${profile}`;
  return new NoIdentity(`Your AWS sign-in has expired. Run \`aws sso login${option}\`, and send your message again.`);
}

async function tokenOf(signIn: SignIn, search: Search): Promise<string> {
  const cached = await readToken(signIn);
  for (const secret of [cached.accessToken, cached.refreshToken, cached.clientSecret]) if (secret) search.hide(secret);
  const leftMs = Date.parse(cached.expiresAt) - Date.now();
  if (leftMs > EARLY_MS) return cached.accessToken;
  const renewed = await renew(cached, signIn, search).catch((error: unknown) => {
    if (leftMs <= 0) throw error;
    return undefined;
  });
  if (renewed !== undefined) return renewed;
  if (leftMs > 0) return cached.accessToken;
  throw signedOut(signIn);
}

async function readToken(signIn: SignIn): Promise<CachedToken> {
  try {
    return CachedToken.parse(JSON.parse(await readFile(signIn.path, "utf8")));
  } catch {
    throw signedOut(signIn); // missing, or of another kind: a sign-in writes it anew
  }
}

/** Renews a token and stores it where the AWS CLI finds it. @returns undefined if that isn't possible. */
async function renew(cached: CachedToken, { region, path }: SignIn, search: Search): Promise<string | undefined> {
  const { clientId, clientSecret, refreshToken } = cached;
  if (!clientId || !clientSecret || !refreshToken) return undefined;
  const init = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId, clientSecret, grantType: "refresh_token", refreshToken }),
  };
  const { ok, text } = await askService(`${serviceAddress(search.env, "sso oidc", region)}/token`, init, search.signal);
  const answer = ok ? NewToken.safeParse(jsonIn(text)) : undefined;
  if (!answer?.success) return undefined;
  const { accessToken, expiresIn, refreshToken: next = refreshToken } = answer.data;
  search.hide(accessToken);
  search.hide(next);
  const expiresAt = new Date(Date.now() + expiresIn * 1000).toISOString().replace(/\.\d+/, "");
  // The token is valid even if it can't be stored.
  await writeToken(path, { ...cached, accessToken, expiresAt, refreshToken: next }).catch(() => undefined);
  return accessToken;
}

async function writeToken(path: string, token: CachedToken): Promise<void> {
  const draft = `${path}.${crypto().randomUUID()}.tmp`;
  try {
    await writeFile(draft, JSON.stringify(token), { mode: 0o600 });
    await chmod(draft, 0o600);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
