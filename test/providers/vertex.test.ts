import { createVerify, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findGoogleSource } from "../../agent/config/google-cloud.ts";
import type { Env } from "../../agent/config/paths.ts";
import type { Model } from "../../agent/protocol/model.ts";
import { knownModels } from "../../agent/providers/known-models.ts";
import type { Provider, ProviderRequest } from "../../agent/providers/provider.ts";
import { createModelRegistry } from "../../agent/providers/registry.ts";
import { createVertexProviders } from "../../agent/providers/vertex.ts";
import { isGoogles, publisherAddress } from "../../agent/providers/vertex-place.ts";
import { geminiEvents } from "../support/gemini-events.ts";
import { GoogleTokens } from "../support/google-cloud.ts";
import { startServer } from "../support/local-server.ts";
import { type GeminiReply, googleError, ScriptedGemini } from "../support/scripted-gemini.ts";
import { httpError, reply } from "../support/scripted-replies.ts";
import { VertexFront } from "../support/vertex-front.ts";
import { collect, requestFor } from "./collect.ts";

const PATH =
  /^\/v1\/projects\/my-project\/locations\/global\/publishers\/google\/models\/([^/:]+):streamGenerateContent\?alt=sse$/;
/** Sends the credentials to a server that is not Google's. */
const CREDENTIALS = "gcp-vertex-credentials";

let tokens: GoogleTokens;
let server: ScriptedGemini;
let rejected: ReadonlySet<string>;

beforeEach(async () => {
  rejected = new Set();
  tokens = await GoogleTokens.start();
  server = await ScriptedGemini.start(PATH, refuses);
});

afterEach(async () => {
  await server.stop();
  await tokens.stop();
});

function refuses({ authorization }: IncomingHttpHeaders): GeminiReply | undefined {
  const token = /^Bearer (ya29\..+)$/.exec(authorization ?? "")?.[1];
  if (token !== undefined && !rejected.has(token)) return undefined;
  const body = googleError(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.");
  return { kind: "error", status: 401, body: JSON.stringify(body) };
}

function model(changes: Partial<Model> = {}): Model {
  return {
    id: "gemini-4-argon",
    name: "Served",
    api: "google-vertex",
    provider: "google-vertex",
    baseUrl: server.url,
    reasoning: true,
    input: ["text", "image"],
    contextWindow: 8_000,
    maxTokens: 1_000,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...changes,
  };
}

function provider(env: Env, api = "google-vertex"): Provider {
  const found = createVertexProviders({ env }).find((one) => one.api === api);
  if (found === undefined) throw new Error(`There is no ${api}.`);
  return found;
}

async function ask(asked: Provider, parts: Partial<ProviderRequest> = {}, changes: Partial<Model> = {}) {
  return await collect(asked, requestFor(model(changes), { apiKey: CREDENTIALS, ...parts }));
}

const failureOf = (asked: Provider, parts?: Partial<ProviderRequest>, changes?: Partial<Model>): Promise<unknown> =>
  ask(asked, parts, changes).catch((error: unknown) => error);

const answer = () => server.enqueue({ kind: "events", events: geminiEvents([{ text: "Hi" }]) });
const authorizations = () => server.requests.map(({ headers }) => headers.authorization);

describe("Gemini on Vertex AI", () => {
  test("is asked with a token of somebody who signed in, as long as that lives", async () => {
    const asked = provider(tokens.signedIn({ quota_project_id: "payer" }));
    for (let round = 0; round < 2; round += 1) {
      answer();
      await ask(asked);
    }
    expect(tokens.forms).toEqual([
      {
        grant_type: "refresh_token",
        client_id: "client.apps.example",
        client_secret: "the-client-secret",
        refresh_token: "the-refresh-token",
      },
    ]);
    expect(authorizations()).toEqual(["Bearer ya29.token-1", "Bearer ya29.token-1"]);
    expect(server.requests[0]?.headers).toMatchObject({ "x-goog-user-project": "payer" });
    expect(server.requests[0]?.headers).not.toHaveProperty("x-goog-api-key");
  });

  test("gets a new token before the old one ends, one for requests at the same time", async () => {
    const asked = provider(tokens.signedIn());
    tokens.lifeS = 60;
    answer();
    answer();
    await Promise.all([ask(asked), ask(asked)]);
    answer();
    await ask(asked);
    expect(authorizations()).toEqual(["Bearer ya29.token-1", "Bearer ya29.token-1", "Bearer ya29.token-2"]);
  });

  test("gets a new token when the service no longer takes the old one, and fails when it takes none", async () => {
    const asked = provider(tokens.signedIn());
    answer();
    await ask(asked);
    rejected = new Set(["ya29.token-1"]);
    answer();
    await ask(asked);
    expect(authorizations()).toEqual(["Bearer ya29.token-1", "Bearer ya29.token-2"]);
    rejected = new Set(["ya29.token-2", "ya29.token-3"]);
    expect(await failureOf(asked)).toMatchObject({
      kind: "auth",
      message: expect.stringMatching(/doesn't accept the credentials .* Run "gcloud auth application-default login"/),
    });
  });

  test("is asked with a token for a service account, which signs with its key", async () => {
    const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const path = tokens.write({
      type: "service_account",
      client_email: "bot@my-project.iam.gserviceaccount.com",
      private_key: keys.privateKey.export({ type: "pkcs8", format: "pem" }),
      private_key_id: "key-1",
      token_uri: `${tokens.url}/token`,
    });
    answer();
    await ask(provider({ GOOGLE_APPLICATION_CREDENTIALS: path, GCLOUD_PROJECT: "my-project" }));
    const { assertion = "", grant_type } = tokens.forms[0] ?? {};
    const [header = "", claims = "", signature = ""] = assertion.split(".");
    const read = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());
    expect(grant_type).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    expect(read(claims)).toMatchObject({
      iss: "bot@my-project.iam.gserviceaccount.com",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      aud: `${tokens.url}/token`,
    });
    const verify = createVerify("RSA-SHA256").update(`${header}.${claims}`);
    expect(verify.verify(keys.publicKey, signature, "base64url")).toBe(true);
  });

  test("is asked with a token of the machine's metadata server", async () => {
    const env = {
      GOOGLE_CLOUD_PROJECT: "my-project",
      GCE_METADATA_HOST: new URL(tokens.url).host,
      CLOUDSDK_CONFIG: "/nowhere",
    };
    const asked = provider(env);
    answer();
    await ask(asked);
    expect(tokens.asked).toEqual(["/computeMetadata/v1/instance/service-accounts/default/token"]);
    expect(authorizations()).toEqual(["Bearer ya29.token-1"]);
    tokens.refusal = { status: 404, body: "Not found" };
    expect(await failureOf(provider(env))).toMatchObject({
      kind: "auth",
      message: expect.stringContaining("This machine has no service account"),
    });
  });

  test("is asked with a key, which belongs to a project", async () => {
    const express = await ScriptedGemini.start(
      /^\/v1\/publishers\/google\/models\/([^/:]+):streamGenerateContent\?alt=sse$/,
    );
    express.enqueue({ kind: "events", events: geminiEvents([{ text: "Hi" }]) });
    await ask(provider({}), { apiKey: "AQ.the-key" }, { baseUrl: express.url });
    expect(express.requests).toMatchObject([{ headers: { "x-goog-api-key": "AQ.the-key" } }]);
    await express.stop();
  });

  test("does not give its token to a server that is not Google's unasked", async () => {
    const asked = provider(tokens.signedIn());
    expect(await failureOf(asked, { apiKey: undefined })).toMatchObject({ kind: "auth" });
    expect(tokens.forms).toEqual([]);
  });

  test("asks for no token when it was stopped before", async () => {
    const failed = await failureOf(provider(tokens.signedIn({ token_uri: "http://127.0.0.1:9/token" })), {
      signal: AbortSignal.abort(),
    });
    expect(failed).toMatchObject({ kind: "aborted" });
  });

  test("stops when it is told to, also while it waits for a token", async () => {
    const silent = await startServer(() => undefined);
    const controller = new AbortController();
    const waiting = failureOf(provider(tokens.signedIn({ token_uri: `${silent.url}/token` })), {
      signal: controller.signal,
    });
    await expect.poll(() => silent.requests).toHaveLength(1);
    controller.abort();
    expect(await waiting).toMatchObject({ kind: "aborted" });
    await silent.stop();
  });
});

describe("Claude on Vertex AI", () => {
  let front: VertexFront;

  beforeEach(async () => {
    front = await VertexFront.start();
  });

  afterEach(() => front.stop());

  const claude = () => ({
    ...model({ api: "anthropic-vertex", provider: "anthropic-vertex", baseUrl: front.url }),
    id: "claude-opus-4-5@20251101",
  });

  test("gets the same messages, with its version in them and a token", async () => {
    front.model.enqueue(reply("Hi"));
    const asked = provider(tokens.signedIn(), "anthropic-vertex");
    const events = await collect(asked, requestFor(claude(), { apiKey: CREDENTIALS, systemPrompt: "Be brief." }));
    expect(events).toContainEqual({ type: "text_delta", index: 0, delta: "Hi" });
    expect(front.requests).toEqual([
      {
        path: "/v1/projects/my-project/locations/global/publishers/anthropic/models/claude-opus-4-5%4020251101:streamRawPredict",
        authorization: "Bearer ya29.token-1",
      },
    ]);
    expect(front.model.requests[0]?.body).toMatchObject({ model: "claude-opus-4-5@20251101", stream: true });
  });

  test("has limits in Google's words", async () => {
    const words = "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model";
    const busy = await startServer((_, response) =>
      response.writeHead(429).end(JSON.stringify(googleError(429, "RESOURCE_EXHAUSTED", words))),
    );
    const asked = provider(tokens.signedIn(), "anthropic-vertex");
    const request = requestFor({ ...claude(), baseUrl: busy.url }, { apiKey: CREDENTIALS });
    await expect(collect(asked, request)).rejects.toMatchObject({ kind: "rate_limit" });
    await busy.stop();
    front.model.enqueue(httpError(529, "overloaded_error", "Overloaded"));
    await expect(collect(asked, requestFor(claude(), { apiKey: CREDENTIALS }))).rejects.toMatchObject({
      kind: "overloaded",
    });
  });
});

describe("a sign-in to Google Cloud that fails says what to do", () => {
  const SIGN_IN = 'Run "gcloud auth application-default login"';

  test.each([
    [
      400,
      '{"error":"invalid_grant","error_description":"Token has been expired or revoked."}',
      "auth",
      "Token has been expired or revoked.). Run",
    ],
    [401, '{"error":"invalid_client","error_description":"Unauthorized"}', "auth", SIGN_IN],
    [503, "<html>busy", "server", "returned no token for Google Cloud (503: <html>busy)"],
    [200, "<html>welcome", "server", "returned no token"],
    [200, '{"access_token":"","id_token":"ya29.secret"}', "server", "returned no token for Google Cloud (200)."],
    [
      429,
      '{"error":"rate_limit_exceeded"}',
      "rate_limit",
      "returned no token for Google Cloud (429: rate_limit_exceeded)",
    ],
  ])("when the service answers %i %s", async (status, body, kind, words) => {
    tokens.refusal = { status, body };
    const failed = await failureOf(provider(tokens.signedIn()));
    expect(failed).toMatchObject({ kind, message: expect.stringContaining(words) });
    expect(String(failed)).not.toContain("ya29.secret");
  });

  test("when the service is not reached", async () => {
    const failed = await failureOf(provider(tokens.signedIn({ token_uri: "http://127.0.0.1:9/token" })));
    expect(failed).toMatchObject({ kind: "network", message: expect.stringContaining("Couldn't reach 127.0.0.1:9") });
  });

  test.each([
    ["not JSON", "{", "it isn't valid JSON"],
    ["of a type that is not supported", { type: "external_account" }, 'have the type "external_account"'],
    ["of no type", { installed: { client_id: "c" } }, "are of a kind that Tiller can't use"],
    ["incomplete", { type: "authorized_user", client_id: "c" }, "are incomplete"],
    ["with a broken key", { type: "service_account", client_email: "a@b", private_key: "nonsense" }, "can't be read"],
  ])("when the file is %s", async (_, credentials, words) => {
    const env = { GOOGLE_APPLICATION_CREDENTIALS: tokens.write(credentials), GOOGLE_CLOUD_PROJECT: "my-project" };
    const failed = await failureOf(provider(env));
    expect(failed).toMatchObject({ kind: "auth", message: expect.stringContaining(words) });
    expect(String(failed)).toContain(SIGN_IN);
    expect(String(failed)).not.toContain("nonsense");
  });

  test("when there is no file, no project, or a strange location", async () => {
    const GOOGLE_CLOUD_PROJECT = "my-project";
    const missing = { GOOGLE_CLOUD_PROJECT, GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/file.json" };
    expect(await failureOf(provider(missing))).toMatchObject({
      message: expect.stringContaining("/nowhere/file.json: ENOENT"),
    });
    const none = { GOOGLE_CLOUD_PROJECT, CLOUDSDK_CONFIG: "/nowhere" };
    expect(await failureOf(provider(none))).toMatchObject({
      message: expect.stringContaining("Couldn't find credentials for Google Cloud."),
    });
    expect(await failureOf(provider({}))).toMatchObject({
      message: expect.stringContaining("Set GOOGLE_CLOUD_PROJECT"),
    });
    const strange = { ...tokens.signedIn(), GOOGLE_CLOUD_LOCATION: "evil.example/" };
    expect(await failureOf(provider(strange))).toMatchObject({
      message: expect.stringContaining("GOOGLE_CLOUD_LOCATION must be a location"),
    });
  });
});

describe("secrets of Google Cloud", () => {
  test("are known: tokens, and what the file has", async () => {
    const asked = provider(tokens.signedIn());
    answer();
    await ask(asked);
    expect(asked.secrets?.()).toEqual(
      expect.arrayContaining(["ya29.token-1", "the-refresh-token", "the-client-secret"]),
    );
  });

  test("stay out of failures that quote them, and are among the registry's", async () => {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-vertex-"));
    const env = tokens.signedIn();
    const providers = { "google-vertex": { baseUrl: server.url, apiKey: CREDENTIALS } };
    writeFileSync(join(agentDir, "models.json"), JSON.stringify({ providers }));
    const registry = await createModelRegistry({ agentDir, env, enableDemo: false, warn: expect.unreachable });
    const found = registry.find("google-vertex", "gemini-4-argon");
    const { provider: asked, apiKey } = registry.resolve(found ?? expect.unreachable());
    const quoting = googleError(400, "INVALID_ARGUMENT", "You sent ya29.token-1 of the-refresh-token");
    server.enqueue({ kind: "error", status: 400, body: JSON.stringify(quoting) });
    const failed = await collect(asked, requestFor(found ?? expect.unreachable(), { apiKey })).catch(String);
    expect(failed).toContain("You sent [redacted] of [redacted]");
    expect(registry.secrets()).toContain("ya29.token-1");
    rmSync(agentDir, { recursive: true });
  });
});

describe("the models of Vertex AI", () => {
  async function registry(env: Env) {
    const agentDir = mkdtempSync(join(tmpdir(), "tiller-vertex-"));
    const models = await createModelRegistry({ agentDir, env, enableDemo: false, warn: expect.unreachable });
    rmSync(agentDir, { recursive: true });
    return models;
  }

  test("are available with a project and credentials, and nobody is asked for a token before that is needed", async () => {
    const env = tokens.signedIn();
    const models = await registry(env);
    const available = models.available();
    expect(available[0]).toMatchObject({ provider: "google-vertex", id: "gemini-4-argon" });
    expect(new Set(available.map(({ provider: name }) => name))).toEqual(
      new Set(["google-vertex", "anthropic-vertex"]),
    );
    expect(tokens.forms).toEqual([]);
    const { GOOGLE_CLOUD_PROJECT, ...fileOnly } = env;
    for (const lacking of [fileOnly, { GOOGLE_CLOUD_PROJECT, CLOUDSDK_CONFIG: "/nowhere" }]) {
      expect((await registry(lacking)).available()).toEqual([]);
    }
    const file = { GOOGLE_CLOUD_PROJECT, GOOGLE_APPLICATION_CREDENTIALS: "/nowhere/file.json" };
    expect((await registry(file)).available()).toEqual([]);
  });

  test("are available with a key, those of Google alone", async () => {
    const available = (await registry({ GOOGLE_CLOUD_API_KEY: "AQ.the-key" })).available();
    expect(new Set(available.map(({ provider: name }) => name))).toEqual(new Set(["google-vertex"]));
  });

  test("that lack credentials say what to do", async () => {
    const models = await registry({ GEMINI_API_KEY: "g" });
    const lacking = models.find("anthropic-vertex", "claude-opus-5-5") ?? expect.unreachable();
    expect(() => models.resolve(lacking)).toThrow(
      'No API key for anthropic-vertex/claude-opus-5-5. Set GOOGLE_CLOUD_PROJECT and start again. Run "gcloud auth application-default login"',
    );
  });

  test("cost the same as Google's own, also with long prompts", () => {
    const tiersOf = (of: string) =>
      new Map(knownModels().flatMap(({ provider: name, id, compat }) => (name === of ? [[id, compat] as const] : [])));
    const own = tiersOf("google");
    const there = tiersOf("google-vertex");
    expect(there.get("gemini-3.1-pro-preview")).toBeDefined();
    for (const [id, compat] of there) expect(compat).toEqual(own.get(id));
  });

  test("have Claude's by their ids there", () => {
    const claude = knownModels().filter(({ provider: name }) => name === "anthropic-vertex");
    const ids = claude.map(({ id }) => id);
    expect(ids).toContain("claude-opus-5-5");
    expect(ids).toContain("claude-haiku-4-5@20251001");
    expect(ids).not.toContain("claude-haiku-4-5");
    expect(claude[0]).toMatchObject({ api: "anthropic-vertex", contextWindow: 1_000_000 });
  });
});

test.each([
  ["global", "https://aiplatform.googleapis.com"],
  ["us-central1", "https://us-central1-aiplatform.googleapis.com"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com"],
])("the location %s has its server", (location, expected) => {
  const env = { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION: location };
  const place = `/v1/projects/p/locations/${location}/publishers/google`;
  for (const baseUrl of ["", "https://aiplatform.googleapis.com", "https://{location}-aiplatform.googleapis.com"]) {
    expect(publisherAddress(baseUrl, env, "google")).toBe(expected + place);
  }
  expect(publisherAddress("https://gateway.example/vertex/v1beta1", env, "google")).toBe(
    `https://gateway.example/vertex/v1beta1/projects/p/locations/${location}/publishers/google`,
  );
});

test.each([
  ["https://europe-west4-aiplatform.googleapis.com", "europe-west4"],
  ["https://aiplatform.eu.rep.googleapis.com/v1", "eu"],
])("the server %s has its location", (baseUrl, location) => {
  for (const GOOGLE_CLOUD_LOCATION of ["", "us-central1"]) {
    expect(publisherAddress(baseUrl, { GOOGLE_CLOUD_PROJECT: "p", GOOGLE_CLOUD_LOCATION }, "google")).toBe(
      `${new URL(baseUrl).origin}/v1/projects/p/locations/${location}/publishers/google`,
    );
  }
});

test.each([
  ["https://us-central1-aiplatform.googleapis.com", true],
  ["", true],
  ["http://us-central1-aiplatform.googleapis.com", false],
  ["https://googleapis.com.evil.example", false],
  ["https://evilgoogleapis.com", false],
  ["nonsense", false],
])("tokens go to %s unasked: %s", (baseUrl, isTheirs) => {
  expect(isGoogles(baseUrl)).toBe(isTheirs);
});

describe("application default credentials", () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "tiller-home-"));
  });

  afterEach(() => rmSync(home, { recursive: true }));

  function stored(...folder: string[]): string {
    mkdirSync(join(home, ...folder), { recursive: true });
    const path = join(home, ...folder, "application_default_credentials.json");
    writeFileSync(path, "{}");
    return path;
  }

  const find = (env: Env, platform: NodeJS.Platform = "linux", product = "") =>
    findGoogleSource(env, { platform, home, product: () => product });

  test("are where gcloud keeps them on each system, or where the environment says", () => {
    expect(find({})).toBeUndefined();
    const path = stored(".config", "gcloud");
    expect(find({})).toEqual({ kind: "file", path });
    expect(find({}, "darwin")).toEqual({ kind: "file", path });
    const ofWindows = stored("AppData", "gcloud");
    expect(find({ APPDATA: join(home, "AppData") }, "win32")).toEqual({ kind: "file", path: ofWindows });
    expect(find({ CLOUDSDK_CONFIG: join(home, "AppData", "gcloud") })).toEqual({ kind: "file", path: ofWindows });
    expect(find({ GOOGLE_APPLICATION_CREDENTIALS: "/my.json" })).toEqual({ kind: "file", path: "/my.json" });
  });

  test("come from the machine on Google's own", () => {
    const metadata = { kind: "metadata", host: "metadata.google.internal" };
    expect(find({}, "linux", "Google Compute Engine\n")).toEqual(metadata);
    expect(find({}, "darwin", "Google")).toBeUndefined();
    expect(find({ K_SERVICE: "web" })).toEqual(metadata);
  });
});
