import { readFile } from "node:fs/promises";
import { AwsV4Signer } from "aws4fetch";
import { errorMessage } from "../../protocol/errors.ts";
import { serviceFailure } from "../request-errors.ts";
import { type AwsIdentity, NoIdentity, type Search } from "./identity.ts";
import { askService, serviceAddress } from "./service.ts";

const API_VERSION = "2011-06-15";
const DEFAULT_REGION = "us-east-1";
const MAX_SHOWN_CHARS = 300;

interface Role {
  role: string;
  session: string | undefined;
  externalId: string | undefined;
  /** A number, written as text. */
  seconds: string | undefined;
  region: string | undefined;
  /** The credentials that request the role. */
  base: AwsIdentity;
  profile: string;
}

/**
 * Exchanges credentials for those of a role.
 * @throws NoIdentity when the service refuses the request.
 * @see https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
export async function assumeRole(given: Role, search: Search): Promise<AwsIdentity> {
  const { role, session, externalId, seconds, base, profile } = given;
  const region = regionOf(given.region, search);
  const body = form("AssumeRole", {
    RoleArn: role,
    RoleSessionName: sessionName(session),
    ...(externalId ? { ExternalId: externalId } : {}),
    ...(seconds ? { DurationSeconds: seconds } : {}),
  });
  const url = `${serviceAddress(search.env, "sts", region)}/`;
  const { accessKeyId, secretAccessKey, sessionToken } = base;
  const signer = new AwsV4Signer({
    url,
    method: "POST",
    headers: FORM,
    body,
    service: "sts",
    region,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
  const { headers } = await signer.sign();
  return await credentialsFrom(url, { method: "POST", headers, body }, `for profile "${profile}"`, search);
}

/** Exchanges the token in a file, as in a cluster, for the credentials of a role. @throws NoIdentity when the service refuses the request. */
export async function assumeRoleWithToken(
  { role, tokenFile, session }: { role: string; tokenFile: string; session: string | undefined },
  search: Search,
): Promise<AwsIdentity> {
  const token = await readFile(tokenFile, "utf8").catch((error: unknown) => {
    throw new NoIdentity(`Couldn't read the token for AWS: ${errorMessage(error)}`, { cause: error });
  });
  search.hide(token.trim());
  const body = form("AssumeRoleWithWebIdentity", {
    RoleArn: role,
    RoleSessionName: sessionName(session),
    WebIdentityToken: token.trim(),
  });
  const url = `${serviceAddress(search.env, "sts", regionOf(undefined, search))}/`;
  return await credentialsFrom(url, { method: "POST", headers: FORM, body }, `of ${role}`, search);
}

const FORM = { "content-type": "application/x-www-form-urlencoded" };

function form(action: string, fields: Record<string, string>): string {
  return new URLSearchParams({ Action: action, Version: API_VERSION, ...fields }).toString();
}

function sessionName(given: string | undefined): string {
  return given || `tiller-${Date.now()}`;
}

function regionOf(own: string | undefined, { env, profiles }: Search): string {
  return env.AWS_REGION || env.AWS_DEFAULT_REGION || own || profiles.profile(profiles.name)?.region || DEFAULT_REGION;
}

async function credentialsFrom(url: string, init: RequestInit, whose: string, search: Search): Promise<AwsIdentity> {
  const { ok, status, text } = await askService(url, init, search.signal);
  // The service reports rate limits with status 400.
  if (!ok && fieldOf(text, "Code")?.startsWith("Throttling")) throw serviceFailure(url, 429);
  const [accessKeyId, secretAccessKey, sessionToken, end] = [
    fieldOf(text, "AccessKeyId"),
    fieldOf(text, "SecretAccessKey"),
    fieldOf(text, "SessionToken"),
    fieldOf(text, "Expiration"),
  ];
  if (!ok || accessKeyId === undefined || secretAccessKey === undefined) {
    const reason = fieldOf(text, "Message")?.slice(0, MAX_SHOWN_CHARS) ?? `status ${status}`;
    throw new NoIdentity(`AWS refused the role ${whose}: ${reason}`);
  }
  const expiresAt = Date.parse(end ?? "");
  return { accessKeyId, secretAccessKey, sessionToken, ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) };
}

/** Reads a field of the service's XML, which contains no markup. */
function fieldOf(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}
