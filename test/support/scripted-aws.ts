import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type AwsKeys, whatIsUnsigned } from "./aws-signature.ts";
import { startServer } from "./local-server.ts";

/** The services of AWS that give credentials: sign-ins, roles, containers, and machines. */
export interface ScriptedAws {
  readonly url: string;
  /** Each request: its path, and the form or query that came with it. */
  readonly asked: { path: string; fields: Record<string, string> }[];
  /** The keys that may request roles. */
  readonly keys: AwsKeys[];
  /** The token of the sign-in, and one that it can be renewed with. */
  accessToken: string;
  refreshToken: string;
  /** Replaces the next answers. */
  failure?: { status: number; body: string };
  /** Called before the sign-in is renewed. */
  onRenewal?: () => void;
  stop(): Promise<void>;
}

/** The credentials that each service gives; their number grows with each answer. */
const givenBy = (service: string, number: number) => ({
  accessKeyId: `ASIA${service}${number}`,
  secretAccessKey: `secret-of-${service}-${number}`,
  sessionToken: `token-of-${service}-${number}`,
});

/** Starts the services. @param lifetimeMs how long credentials are good for. */
export async function startScriptedAws(lifetimeMs = 3_600_000): Promise<ScriptedAws> {
  let count = 0;
  const give = (service: string) => {
    count += 1;
    return givenBy(service, count);
  };
  const aws: Omit<ScriptedAws, "url" | "stop"> = {
    asked: [],
    keys: [],
    accessToken: "sso-access-token",
    refreshToken: "sso-refresh-token",
  };
  const end = () => new Date(Date.now() + lifetimeMs);
  const answer = (request: IncomingMessage, body: string): { status: number; body: string } => {
    const { pathname: path, searchParams } = new URL(request.url ?? "", "http://x");
    const form = new URLSearchParams(path === "/token" ? "" : body);
    aws.asked.push({ path, fields: Object.fromEntries([...searchParams, ...form]) });
    if (aws.failure !== undefined) return aws.failure;
    if (path === "/federation/credentials") {
      if (request.headers["x-amz-sso_bearer_token"] !== aws.accessToken) return { status: 401, body: "{}" };
      const roleCredentials = { ...give("SSO"), expiration: end().getTime() };
      return { status: 200, body: JSON.stringify({ roleCredentials }) };
    }
    if (path === "/token") {
      aws.onRenewal?.();
      const { refreshToken, grantType, clientSecret } = JSON.parse(body);
      if (refreshToken !== aws.refreshToken || grantType !== "refresh_token" || clientSecret !== "sso-client-secret") {
        return { status: 400, body: '{"error":"invalid_grant"}' };
      }
      aws.accessToken = "renewed-access-token";
      return {
        status: 200,
        body: JSON.stringify({ accessToken: aws.accessToken, expiresIn: 3600, tokenType: "Bearer" }),
      };
    }
    if (path === "/latest/api/token") return { status: request.method === "PUT" ? 200 : 405, body: "machine-token" };
    if (path.startsWith("/latest/meta-data/")) {
      if (request.headers["x-aws-ec2-metadata-token"] !== "machine-token") return { status: 401, body: "" };
      return path.endsWith("/") ? { status: 200, body: "role-of-machine" } : { status: 200, body: placed("IMDS") };
    }
    if (path === "/container") {
      const isKnown = request.headers.authorization === "container-token";
      return isKnown ? { status: 200, body: placed("ECS") } : { status: 403, body: "" };
    }
    return assumed(request, body, form);
  };
  const placed = (service: string) => {
    const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: Token } = give(service);
    return JSON.stringify({ Code: "Success", AccessKeyId, SecretAccessKey, Token, Expiration: end().toISOString() });
  };
  const assumed = ({ method = "", url = "", headers }: IncomingMessage, body: string, form: URLSearchParams) => {
    const isSigned = form.get("Action") === "AssumeRole";
    const scope = { service: "sts", region: "eu-central-1" };
    const problem = isSigned ? whatIsUnsigned({ method, url, headers, body }, aws.keys, scope) : undefined;
    if (problem !== undefined || (!isSigned && form.get("WebIdentityToken") !== "token-in-file")) {
      const message = problem ?? "Invalid identity token";
      return {
        status: 403,
        body: `<ErrorResponse><Error><Code>x</Code><Message>${message}</Message></Error></ErrorResponse>`,
      };
    }
    const { accessKeyId, secretAccessKey, sessionToken } = give("STS");
    return {
      status: 200,
      body: `<R><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey><SessionToken>${sessionToken}</SessionToken><Expiration>${end().toISOString()}</Expiration></Credentials></R>`,
    };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { status, body } = answer(request, await text(request));
    response.writeHead(status).end(body);
  };
  const server = await startServer((request, response) => void serve(request, response));
  return Object.assign(aws, { url: server.url, stop: server.stop });
}
