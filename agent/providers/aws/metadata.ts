import { readFile } from "node:fs/promises";
import * as z from "zod";
import { errorMessage } from "../../protocol/errors.ts";
import { addressBelow } from "../../util/server-address.ts";
import { askMachine, type MachineAnswer } from "../machine-service.ts";
import { jsonIn } from "../parse-event.ts";
import { type AwsIdentity, NoIdentity, type Search } from "./identity.ts";

const CONTAINER = "http://169.254.170.2";
const INSTANCE = "http://169.254.169.254";
const TOKEN_SECONDS = "21600";
/** The addresses besides this machine's own that may be requested without encryption. */
const CONTAINER_HOSTS: ReadonlySet<string> = new Set(["169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]);

const Answer = z
  .object({ AccessKeyId: z.string(), SecretAccessKey: z.string(), Token: z.string(), Expiration: z.string() })
  .transform(
    ({
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: end,
    }): AwsIdentity => ({
      accessKeyId,
      secretAccessKey,
      sessionToken,
      expiresAt: Date.parse(end),
    }),
  );

/**
 * Returns the credentials of the container that the agent runs in; undefined outside a container.
 * @throws NoIdentity when the container's service returns none.
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
export async function fromContainer({ env, signal, hide }: Search): Promise<AwsIdentity | undefined> {
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = relative ? addressBelow(CONTAINER, relative) : env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!url) return undefined;
  if (!isAllowed(url)) {
    throw new NoIdentity(
      "AWS_CONTAINER_CREDENTIALS_FULL_URI must begin with https://, or name this machine or the container's own service.",
    );
  }
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const token = file ? await readToken(file) : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  if (token) hide(token);
  const headers: Record<string, string> = token ? { Authorization: token } : {};
  const credentials = readAnswer(await askMachine(url, { headers, isKnown: true }, signal));
  if (credentials === undefined) throw new NoIdentity("The container's AWS credential service returned none.");
  return credentials;
}

async function readToken(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    throw new NoIdentity(
      `Couldn't read the token for the container's AWS credential service: ${errorMessage(cause)}. Correct AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, and restart.`,
      { cause },
    );
  }
}

function readAnswer(answer: MachineAnswer | undefined): AwsIdentity | undefined {
  return answer?.status === 200 ? Answer.safeParse(jsonIn(answer.body)).data : undefined;
}

function isAllowed(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol === "https:") return true;
  const isHere = hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
  return protocol === "http:" && (isHere || CONTAINER_HOSTS.has(hostname));
}

/**
 * Returns the credentials of the virtual machine's role; undefined elsewhere.
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html
 */
export async function fromInstance({ env, signal }: Search): Promise<AwsIdentity | undefined> {
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === "true") return undefined;
  const server = `${(env.AWS_EC2_METADATA_SERVICE_ENDPOINT || INSTANCE).replace(/\/+$/, "")}/latest`;
  const wanted = { "x-aws-ec2-metadata-token-ttl-seconds": TOKEN_SECONDS };
  const token = await askMachine(`${server}/api/token`, { method: "PUT", headers: wanted }, signal);
  if (token?.status !== 200) return undefined;
  const request = { headers: { "x-aws-ec2-metadata-token": token.body }, isKnown: true };
  const roles = `${server}/meta-data/iam/security-credentials/`;
  const listed = await askMachine(roles, request, signal);
  const role = listed?.status === 200 ? listed.body.split("\n")[0]?.trim() : undefined;
  return role ? readAnswer(await askMachine(`${roles}${role}`, request, signal)) : undefined;
}
