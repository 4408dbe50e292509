import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAwsLogin } from "../../agent/providers/aws/login.ts";
import { createBedrockProvider } from "../../agent/providers/bedrock.ts";
import { type ScriptedAws, startScriptedAws } from "../support/scripted-aws.ts";
import { converseReply, ScriptedBedrock } from "../support/scripted-bedrock.ts";
import { collect, modelAt, requestFor } from "./collect.ts";

const MINUTE_MS = 60_000;
const OWN = { accessKeyId: "AKIAOWN", secretAccessKey: "own-secret" };
const signal = new AbortController().signal;

let home: string;
let aws: ScriptedAws;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "tiller-aws-"));
  mkdirSync(join(home, ".aws/sso/cache"), { recursive: true });
  aws = await startScriptedAws();
  aws.keys.push(OWN);
});

afterEach(async () => {
  await aws.stop();
  rmSync(home, { recursive: true });
});

function login(config = "", more: Record<string, string> = {}, credentials = "") {
  writeFileSync(join(home, ".aws/config"), config);
  writeFileSync(join(home, ".aws/credentials"), credentials);
  return createAwsLogin(environment(more));
}

function environment(more: Record<string, string>) {
  return {
    HOME: home,
    AWS_REGION: "eu-central-1",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_ENDPOINT_URL_SSO: aws.url,
    AWS_ENDPOINT_URL_SSO_OIDC: aws.url,
    AWS_ENDPOINT_URL_STS: aws.url,
    ...more,
  };
}

/** A program that prints credentials and counts its runs. */
function printer(lifetimeMs: number, extra = ""): string {
  const path = join(home, "print.mjs");
  writeFileSync(
    path,
    `import { appendFileSync } from "node:fs";
appendFileSync(${JSON.stringify(join(home, "runs"))}, "x");${extra}
console.log(JSON.stringify({ Version: 1, AccessKeyId: "AKIAPROC", SecretAccessKey: "secret-of-process", SessionToken: "token" + Date.now(), Expiration: new Date(Date.now() + ${lifetimeMs}).toISOString() }));`,
  );
  return `"${process.execPath}" "${path}"`;
}

const runs = () => (existsSync(join(home, "runs")) ? readFileSync(join(home, "runs"), "utf8").length : 0);

describe("the credentials of AWS", () => {
  test("are those of the environment before those of a profile", async () => {
    const env = { AWS_ACCESS_KEY_ID: "AKIAENV", AWS_SECRET_ACCESS_KEY: "env-secret", AWS_SESSION_TOKEN: "env-token" };
    const found = login("[default]\naws_access_key_id = A\naws_secret_access_key = B\n", env);
    expect(await found.identity(signal)).toEqual({
      accessKeyId: "AKIAENV",
      secretAccessKey: "env-secret",
      sessionToken: "env-token",
    });
    expect(found.secrets()).toEqual(["env-secret", "env-token"]);
  });

  test("are those of the selected profile, with its region", async () => {
    const credentials = "[dev]\naws_access_key_id = AKIADEV\naws_secret_access_key = dev-secret # comment\n";
    const found = login("[profile dev]\nregion = us-west-2\n", { AWS_PROFILE: "dev" }, credentials);
    expect(await found.identity(signal)).toEqual({ accessKeyId: "AKIADEV", secretAccessKey: "dev-secret" });
    expect(await found.profileRegion()).toBe("us-west-2");
  });

  test("are printed by the profile's program, which runs again before they expire", async () => {
    const fresh = login(`[default]\ncredential_process = ${printer(60 * MINUTE_MS)}\n`);
    const first = await fresh.identity(signal);
    expect(first).toMatchObject({ accessKeyId: "AKIAPROC", secretAccessKey: "secret-of-process" });
    expect(await fresh.identity(signal)).toBe(first);
    expect(runs()).toBe(1);
    const short = login(`[default]\ncredential_process = ${printer(4 * MINUTE_MS)}\n`);
    await short.identity(signal);
    await short.identity(signal);
    expect(runs()).toBe(3);
  });

  test("are fetched once for requests at the same time, and used to their end where they can't be renewed", async () => {
    const runsOnce = `
if ((await import("node:fs")).readFileSync(${JSON.stringify(join(home, "runs"))}, "utf8").length > 1) process.exit(3);`;
    const found = login(`[default]\ncredential_process = ${printer(4 * MINUTE_MS, runsOnce)}\n`);
    const [first, second] = await Promise.all([found.identity(signal), found.identity(signal)]);
    expect(second).toBe(first);
    expect(runs()).toBe(1);
    expect(await found.identity(signal)).toBe(first);
    expect(runs()).toBe(2);
  });

  test("say what went wrong with the program", async () => {
    const failing = printer(0, 'console.error("vault is sealed"); process.exit(3);');
    await expect(login(`[default]\ncredential_process = ${failing}\n`).identity(signal)).rejects.toMatchObject({
      kind: "auth",
      message: 'The credential_process of profile "default" failed: vault is sealed',
    });
    await expect(login(`[default]\ncredential_process = "${process.execPath}" -v\n`).identity(signal)).rejects.toThrow(
      "didn't print credentials",
    );
  });

  test("are those of a role that the keys of another profile may take", async () => {
    const found = login(
      "[profile dev]\nrole_arn = arn:aws:iam::1:role/dev\nsource_profile = base\nexternal_id = x\nduration_seconds = 900\n[profile base]\naws_access_key_id = AKIAOWN\naws_secret_access_key = own-secret\n",
      { AWS_PROFILE: "dev" },
    );
    expect(await found.identity(signal)).toMatchObject({
      accessKeyId: "ASIASTS1",
      secretAccessKey: "secret-of-STS-1",
      sessionToken: "token-of-STS-1",
    });
    expect(aws.asked[0]?.fields).toMatchObject({
      Action: "AssumeRole",
      RoleArn: "arn:aws:iam::1:role/dev",
      ExternalId: "x",
      DurationSeconds: "900",
    });
  });

  test("say which role was refused, which profile is its own source, and which asks for a device", async () => {
    const role = "[profile dev]\nrole_arn = arn:aws:iam::1:role/dev\n";
    const ask = (more: string) => login(role + more, { AWS_PROFILE: "dev" }).identity(signal);
    const wrong = "source_profile = base\n[profile base]\naws_access_key_id = AKIAOTHER\naws_secret_access_key = b\n";
    await expect(ask(wrong)).rejects.toThrow('AWS refused the role for profile "dev": The security token');
    const circle = "source_profile = a\n[profile a]\nrole_arn = r\nsource_profile = dev\n";
    await expect(ask(circle)).rejects.toThrow('Profile "dev" is its own source.');
    await expect(ask("source_profile = gone\n")).rejects.toThrow("no credentials for assuming its role");
    await expect(ask("mfa_serial = arn:aws:iam::1:mfa/me\n")).rejects.toThrow("requires an MFA code");
  });

  test("are those of a role that a token in a file may take, as in a cluster", async () => {
    const file = join(home, "token");
    writeFileSync(file, "token-in-file\n");
    const found = login("", { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: "arn:aws:iam::1:role/pod" });
    expect(await found.identity(signal)).toMatchObject({ accessKeyId: "ASIASTS1" });
    expect(found.secrets()).toContain("token-in-file");
  });

  test("are those of the container, whose service must be near", async () => {
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN: "container-token",
    };
    expect(await login("", env).identity(signal)).toMatchObject({ accessKeyId: "ASIAECS1" });
    const far = { ...env, AWS_CONTAINER_CREDENTIALS_FULL_URI: "http://evil.example/container" };
    await expect(login("", far).identity(signal)).rejects.toThrow("AWS_CONTAINER_CREDENTIALS_FULL_URI must begin with");
  });

  test("say which file with the container's token can't be read", async () => {
    const env = {
      AWS_CONTAINER_CREDENTIALS_FULL_URI: `${aws.url}/container`,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: "/nowhere/token",
    };
    await expect(login("", env).identity(signal)).rejects.toMatchObject({
      kind: "auth",
      message: expect.stringMatching(/^Couldn't read the token .*\/nowhere\/token/),
    });
  });

  test.each([
    [503, "", "server"],
    [429, "", "rate_limit"],
    [400, "<E><Error><Code>Throttling</Code><Message>Rate exceeded</Message></Error></E>", "rate_limit"],
  ])("aren't called refused when a service answers %i %s", async (status, body, kind) => {
    aws.failure = { status, body };
    const file = join(home, "token");
    writeFileSync(file, "token-in-file\n");
    const found = login("", { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: "arn:aws:iam::1:role/pod" });
    await expect(found.identity(signal)).rejects.toMatchObject({
      kind,
      isRetryable: true,
      message: expect.stringContaining(new URL(aws.url).host),
    });
  });

  test("are those of the machine", async () => {
    const env = { AWS_EC2_METADATA_DISABLED: "", AWS_EC2_METADATA_SERVICE_ENDPOINT: aws.url };
    expect(await login("", env).identity(signal)).toMatchObject({ accessKeyId: "ASIAIMDS1" });
    expect(aws.asked.map(({ path }) => path)).toEqual([
      "/latest/api/token",
      "/latest/meta-data/iam/security-credentials/",
      "/latest/meta-data/iam/security-credentials/role-of-machine",
    ]);
  });

  test("are missing where there are none, and where the profile is", async () => {
    await expect(login().identity(signal)).rejects.toThrow("No AWS credentials. Run `aws configure sso`");
    await expect(login("", { AWS_PROFILE: "gone" }).identity(signal)).rejects.toThrow('AWS has no profile "gone"');
  });

  test("can be waited for no longer", async () => {
    const slow = printer(0, "await new Promise((resolve) => setTimeout(resolve, 60000));");
    const controller = new AbortController();
    const waiting = login(`[default]\ncredential_process = ${slow}\n`).identity(controller.signal);
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("a sign-in to AWS", () => {
  const CONFIG = `[profile dev]
sso_session = work
sso_account_id = 123
sso_role_name = Developer
[sso-session work]
sso_region = eu-central-1
sso_start_url = https://work.awsapps.com/start
`;
  const tokenFile = () => join(home, ".aws/sso/cache", `${createHash("sha1").update("work").digest("hex")}.json`);
  const signIn = (expiresInMs: number, more: object = {}) =>
    writeFileSync(
      tokenFile(),
      JSON.stringify({
        accessToken: "sso-access-token",
        expiresAt: new Date(Date.now() + expiresInMs).toISOString(),
        startUrl: "s",
        ...more,
      }),
    );
  const RENEWABLE = { clientId: "id", clientSecret: "sso-client-secret", refreshToken: "sso-refresh-token" };
  const dev = () => login(CONFIG, { AWS_PROFILE: "dev" });

  test("gives the credentials of the profile's role", async () => {
    signIn(60 * MINUTE_MS);
    const found = dev();
    expect(await found.identity(signal)).toMatchObject({ accessKeyId: "ASIASSO1", sessionToken: "token-of-SSO-1" });
    expect(aws.asked).toEqual([
      { path: "/federation/credentials", fields: { role_name: "Developer", account_id: "123" } },
    ]);
    expect(found.secrets()).toEqual(["sso-access-token", "secret-of-SSO-1", "token-of-SSO-1"]);
  });

  test("is renewed when it has expired, and kept where AWS's program finds it", async () => {
    signIn(-MINUTE_MS, RENEWABLE);
    const found = dev();
    expect(await found.identity(signal)).toMatchObject({ accessKeyId: "ASIASSO1" });
    expect(JSON.parse(readFileSync(tokenFile(), "utf8"))).toMatchObject({
      accessToken: "renewed-access-token",
      refreshToken: "sso-refresh-token",
      startUrl: "s",
    });
    expect(statSync(tokenFile()).mode & 0o777).toBe(0o600);
    expect(found.secrets()).toEqual(expect.arrayContaining(["renewed-access-token", "sso-client-secret"]));
  });

  test("is used when it can't be kept, or not be renewed in time", async () => {
    signIn(-MINUTE_MS, RENEWABLE);
    aws.onRenewal = () => rmSync(join(home, ".aws/sso"), { recursive: true });
    expect(await dev().identity(signal)).toMatchObject({ accessKeyId: "ASIASSO1" });
    mkdirSync(join(home, ".aws/sso/cache"), { recursive: true });
    aws.accessToken = "sso-access-token";
    signIn(MINUTE_MS, RENEWABLE);
    const cut = login(CONFIG, { AWS_PROFILE: "dev", AWS_ENDPOINT_URL_SSO_OIDC: "http://127.0.0.1:1" });
    expect(await cut.identity(signal)).toMatchObject({ accessKeyId: "ASIASSO2" });
  });

  test.each([
    ["has expired", () => signIn(-MINUTE_MS)],
    ["can't be renewed", () => signIn(-MINUTE_MS, { ...RENEWABLE, refreshToken: "old" })],
    ["was revoked", () => signIn(60 * MINUTE_MS, { accessToken: "revoked" })],
    ["isn't there", () => undefined],
    ["is damaged", () => writeFileSync(tokenFile(), "{")],
  ])("that %s has to be made again", async (_, prepare) => {
    prepare();
    await expect(dev().identity(signal)).rejects.toMatchObject({
      kind: "auth",
      message: "Your AWS sign-in has expired. Run `aws sso login --profile dev`, and send your message again.",
    });
  });

  test("that has expired is told of once when a request needs it", async () => {
    signIn(-MINUTE_MS);
    writeFileSync(join(home, ".aws/config"), CONFIG);
    const provider = createBedrockProvider({ env: environment({ AWS_PROFILE: "dev" }) });
    const request = requestFor(modelAt("claude-opus-5-5", aws.url), { apiKey: undefined });
    await expect(collect(provider, request)).rejects.toMatchObject({
      kind: "auth",
      message: "Your AWS sign-in has expired. Run `aws sso login --profile dev`, and send your message again.",
    });
  });

  test("is used for a request, and asked for others once those are refused", async () => {
    signIn(60 * MINUTE_MS);
    writeFileSync(join(home, ".aws/config"), CONFIG);
    const second = { accessKeyId: "ASIASSO2", secretAccessKey: "secret-of-SSO-2", sessionToken: "token-of-SSO-2" };
    const bedrock = await ScriptedBedrock.start({ region: "eu-central-1", keys: [second] });
    const provider = createBedrockProvider({ env: environment({ AWS_PROFILE: "dev" }) });
    const request = requestFor(modelAt("claude-opus-5-5", bedrock.url), { apiKey: undefined });
    bedrock.enqueue({ kind: "frames", frames: converseReply([{ text: "Hi" }]) });
    await collect(provider, request);
    expect(bedrock.requests[0]?.headers["x-amz-security-token"]).toBe("token-of-SSO-2");
    expect(provider.secrets?.()).toContain("secret-of-SSO-2");
    await bedrock.stop();
  });
});
