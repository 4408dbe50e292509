import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Model } from "../../agent/protocol/model.ts";
import { createAzureProvider } from "../../agent/providers/azure.ts";
import { azureAddress, mayGetToken, UNNAMED_RESOURCE } from "../../agent/providers/azure-place.ts";
import { knownModels } from "../../agent/providers/known-models.ts";
import { type Provider, ProviderError } from "../../agent/providers/provider.ts";
import { type LocalServer, startServer } from "../support/local-server.ts";
import { responseEvents } from "../support/responses-events.ts";
import { ScriptedResponses } from "../support/scripted-responses.ts";
import { collect, requestFor } from "./collect.ts";

/** No service of a machine answers there. */
const NOWHERE = { AZURE_POD_IDENTITY_AUTHORITY_HOST: "http://127.0.0.1:1" };
const PRINCIPAL = { AZURE_TENANT_ID: "tenant", AZURE_CLIENT_ID: "client", AZURE_CLIENT_SECRET: "client-secret-1" };

let server: ScriptedResponses;
let entra: LocalServer;
let forms: Record<string, string>[];
/** The answer of the next requests for a token: how long it is good for, or why there is none. */
let tokens: { seconds: number; afterMs?: number } | { problem: string; status?: number };

beforeEach(async () => {
  server = await ScriptedResponses.start();
  forms = [];
  tokens = { seconds: 3600 };
  entra = await startServer(async (request, response) => {
    const { status, body } = giveToken(request, await text(request));
    setTimeout(() => response.writeHead(status).end(JSON.stringify(body)), "afterMs" in tokens ? tokens.afterMs : 0);
  });
});

afterEach(async () => {
  await entra.stop();
  await server.stop();
});

function giveToken({ url = "", headers }: IncomingMessage, body: string): { status: number; body: object } {
  if ("problem" in tokens) {
    const { status = 401, problem } = tokens;
    return { status, body: { error: "invalid_client", error_description: problem } };
  }
  const path = new URL(url, "http://x");
  forms.push(Object.fromEntries([...path.searchParams, ...new URLSearchParams(body)]));
  const access_token = `entra-token-${forms.length}`;
  if (path.pathname === "/tenant/oauth2/v2.0/token")
    return { status: 200, body: { access_token, expires_in: tokens.seconds } };
  const isKnown =
    path.pathname === "/identity" ? headers["x-identity-header"] === "header" : headers.metadata === "true";
  const expires_on = String(Math.floor(Date.now() / 1000) + tokens.seconds);
  return { status: isKnown ? 200 : 403, body: { access_token, expires_on } };
}

function model(more: Partial<Model> = {}): Model {
  const known = knownModels().find(({ provider }) => provider === "azure") ?? expect.unreachable();
  return { ...known, baseUrl: server.url, ...more };
}

/** Tokens go only to an address that the environment names. */
const modelFor = (apiKey: string | undefined) => model(apiKey === undefined ? { baseUrl: UNNAMED_RESOURCE } : {});

function placed(env: Record<string, string>): Provider {
  return createAzureProvider({ env: { AZURE_OPENAI_BASE_URL: server.url, ...env } });
}

async function ask(provider: Provider, apiKey?: string, asked = modelFor(apiKey)): Promise<void> {
  server.enqueue({ kind: "events", events: responseEvents([{ kind: "text", id: "msg_1", text: "Hi" }]) });
  await collect(provider, requestFor(asked, { apiKey }));
}

async function failureOf(provider: Provider, apiKey?: string, asked = modelFor(apiKey)): Promise<ProviderError> {
  const error: unknown = await collect(provider, requestFor(asked, { apiKey })).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error(`The request should have failed: ${JSON.stringify(error)}`);
  return error;
}

describe("the address of Azure OpenAI", () => {
  test.each([
    [{ AZURE_OPENAI_RESOURCE_NAME: "mine" }, "https://mine.openai.azure.com/openai/v1"],
    [{ AZURE_OPENAI_BASE_URL: "https://mine.openai.azure.com/" }, "https://mine.openai.azure.com/openai/v1"],
    [
      { AZURE_OPENAI_BASE_URL: "https://a.cognitiveservices.azure.com/openai" },
      "https://a.cognitiveservices.azure.com/openai/v1",
    ],
    [
      { AZURE_OPENAI_BASE_URL: "https://a.services.ai.azure.com/openai/v1/responses" },
      "https://a.services.ai.azure.com/openai/v1",
    ],
    [{ AZURE_OPENAI_BASE_URL: "https://gateway.example/azure" }, "https://gateway.example/azure"],
  ])("is that of the environment: %j", (env, address) => {
    expect(azureAddress({ baseUrl: UNNAMED_RESOURCE }, env)).toBe(address);
  });

  test("is a model's own before that of the environment", () => {
    const env = { AZURE_OPENAI_RESOURCE_NAME: "mine" };
    expect(azureAddress({ baseUrl: "https://other.openai.azure.com" }, env)).toBe(
      "https://other.openai.azure.com/openai/v1",
    );
  });

  test("is asked for when there is none, or one that can't be used", async () => {
    const asked = model({ baseUrl: UNNAMED_RESOURCE });
    expect((await failureOf(createAzureProvider({ env: {} }), "key", asked)).message).toContain(
      "Set AZURE_OPENAI_RESOURCE_NAME to the name of your resource",
    );
    const env = { AZURE_OPENAI_BASE_URL: "mine.openai.azure.com" };
    expect((await failureOf(createAzureProvider({ env }), "key", asked)).message).toBe(
      "AZURE_OPENAI_BASE_URL must begin with http:// or https://. Correct it, and restart.",
    );
  });
});

describe("a request to Azure OpenAI", () => {
  test("sends the key in a header of its own, and no version unless there is one", async () => {
    await ask(createAzureProvider({ env: {} }), "azure-key");
    expect(server.requests).toMatchObject([{ url: "/v1/responses", headers: { "api-key": "azure-key" } }]);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    await ask(createAzureProvider({ env: { AZURE_OPENAI_API_VERSION: "preview" } }), "azure-key");
    expect(server.requests[1]?.url).toBe("/v1/responses?api-version=preview");
  });

  test("names the deployment of the model", async () => {
    const env = { AZURE_OPENAI_DEPLOYMENT_NAME_MAP: "gpt-5=five, gpt-6.1-sol = my-sol" };
    await ask(createAzureProvider({ env }), "azure-key");
    await ask(createAzureProvider({ env }), "azure-key", model({ id: "gpt-5.5" }));
    expect(server.requests.map(({ body }) => body.model)).toEqual(["my-sol", "gpt-5.5"]);
  });

  test("says what to do about a deployment that isn't there", async () => {
    server.enqueue({
      kind: "error",
      status: 404,
      body: '{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}',
    });
    expect((await failureOf(createAzureProvider({ env: {} }), "azure-key")).message).toContain(
      "set AZURE_OPENAI_DEPLOYMENT_NAME_MAP, such as gpt-6.1-sol=name",
    );
  });
});

describe("a token of Microsoft Entra", () => {
  const principal = (more: object = {}) =>
    placed({ ...NOWHERE, ...PRINCIPAL, AZURE_AUTHORITY_HOST: entra.url, ...more });

  test("is fetched for a service principal, and kept until shortly before it expires", async () => {
    const provider = principal();
    await ask(provider);
    await ask(provider);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer entra-token-1",
      "Bearer entra-token-1",
    ]);
    expect(forms).toEqual([
      {
        grant_type: "client_credentials",
        client_id: "client",
        client_secret: "client-secret-1",
        scope: "https://cognitiveservices.azure.com/.default",
      },
    ]);
    expect(provider.secrets?.()).toEqual(["entra-token-1"]);
    tokens = { seconds: 200 };
    const short = principal();
    await ask(short);
    await ask(short);
    expect(forms).toHaveLength(3);
  });

  test("is fetched once more when it is refused", async () => {
    server.refused.add("entra-token-1");
    await ask(principal());
    expect(server.requests[0]?.headers.authorization).toBe("Bearer entra-token-2");
    for (const number of [3, 4, 5]) server.refused.add(`entra-token-${number}`);
    const { kind, message } = await failureOf(principal());
    expect(kind).toBe("auth");
    expect(message).toBe(
      'Azure OpenAI refused the service principal client (401: Incorrect API key provided). Sign in as somebody with the role "Cognitive Services OpenAI User" for the resource, or set AZURE_OPENAI_API_KEY.',
    );
  });

  test("is refused with the reason of the service", async () => {
    tokens = { problem: "AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1" };
    expect(await failureOf(principal())).toMatchObject({
      kind: "auth",
      message:
        "Microsoft Entra refused the service principal (401: AADSTS7000215: Invalid client secret provided.). Check AZURE_TENANT_ID, AZURE_CLIENT_ID, and AZURE_CLIENT_SECRET, and restart.",
    });
  });

  test("is that of the app's identity, or of the machine's", async () => {
    const app = { IDENTITY_ENDPOINT: `${entra.url}/identity`, IDENTITY_HEADER: "header", AZURE_CLIENT_ID: "own" };
    await ask(placed(app));
    await ask(placed({ AZURE_POD_IDENTITY_AUTHORITY_HOST: entra.url }));
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      "Bearer entra-token-1",
      "Bearer entra-token-2",
    ]);
    expect(forms).toEqual([
      { "api-version": "2019-08-01", resource: "https://cognitiveservices.azure.com", client_id: "own" },
      { "api-version": "2018-02-01", resource: "https://cognitiveservices.azure.com" },
    ]);
  });

  test("waits for a machine that is slow or busy, and doesn't give it up", async () => {
    const provider = placed({ AZURE_POD_IDENTITY_AUTHORITY_HOST: entra.url });
    const host = new URL(entra.url).host;
    for (const [status, kind] of [
      [503, "server"],
      [429, "rate_limit"],
      [410, "server"],
    ] as const) {
      tokens = { problem: "busy", status };
      const failed = await failureOf(provider);
      expect(failed).toMatchObject({ kind, status, message: expect.stringContaining(host) });
    }
    tokens = { seconds: 3600, afterMs: 1700 };
    await ask(provider);
    expect(server.requests[0]?.headers.authorization).toBe("Bearer entra-token-1");
  });

  test("says that the service of the app or of the principal fails", async () => {
    tokens = { problem: "restarting", status: 404 };
    const app = placed({ IDENTITY_ENDPOINT: `${entra.url}/identity`, IDENTITY_HEADER: "header" });
    expect(await failureOf(app)).toMatchObject({ kind: "server", status: 404 });
    tokens = { problem: "busy", status: 429 };
    expect(await failureOf(principal())).toMatchObject({ kind: "rate_limit", status: 429 });
  });

  test.each(["http://mine.openai.azure.com", "https://openai.azure.com.evil.example", "https://gateway.example/v1"])(
    "isn't sent to %s, which only models.json names",
    async (baseUrl) => {
      const { kind, message } = await failureOf(principal(), undefined, model({ baseUrl }));
      expect(kind).toBe("auth");
      expect(message).toContain(`sent no token to ${new URL(baseUrl).host}`);
      expect(message).toContain('Set apiKey for provider "azure" in models.json');
      expect(forms).toEqual([]);
    },
  );

  test("goes to Azure's own encrypted addresses", () => {
    expect(mayGetToken({ baseUrl: "https://mine.openai.azure.com/openai/v1" })).toBe(true);
    expect(mayGetToken({ baseUrl: "https://mine.services.ai.azure.com" })).toBe(true);
  });

  test("isn't fetched where a header authorizes the request", async () => {
    await ask(createAzureProvider({ env: NOWHERE }), undefined, model({ headers: { "API-Key": "of-gateway" } }));
    expect(server.requests[0]?.headers).toMatchObject({ "api-key": "of-gateway" });
  });

  describe("of Azure's own program", () => {
    const path = process.env.PATH;
    let folder: string;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), "tiller-az-"));
    });

    afterEach(() => {
      process.env.PATH = path;
      rmSync(folder, { recursive: true });
    });

    function az(script: string): void {
      writeFileSync(join(folder, "az"), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, "az"), 0o755);
      process.env.PATH = `${folder}:${path}`;
    }

    test("is used when there is nothing else", async () => {
      const end = Math.floor(Date.now() / 1000) + 3600;
      az(`echo '{"accessToken":"token-of-'"$3$4"'","expires_on":${end}}'`);
      await ask(placed(NOWHERE));
      expect(server.requests[0]?.headers.authorization).toBe(
        "Bearer token-of---resourcehttps://cognitiveservices.azure.com",
      );
    });

    test("is missing until somebody signs in", async () => {
      az("echo 'ERROR: Please run \"az login\" to setup account.' >&2; exit 1");
      expect(await failureOf(placed(NOWHERE))).toMatchObject({
        kind: "auth",
        message:
          'No credentials for Azure OpenAI. Run `az login`, and send your message again, or set AZURE_OPENAI_API_KEY and restart. (ERROR: Please run "az login" to setup account.)',
      });
    });
  });
});
