import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { ADDRESS_VARIABLES, KEY_VARIABLE_NAMES, keyVariable } from "../../../../agent/config/credentials.ts";
import { isAddressOf, KEY_PROVIDERS } from "../../../../extension/core/keys/key-providers.ts";
import { SIGN_INS } from "../../../../extension/core/keys/sign-ins.ts";
import { deleteKey, storedKeys, storeKey } from "../../../../extension/core/keys/stored-keys.ts";
import { checkKey } from "../../../../extension/features/models/key-check.ts";
import { pour, startServer } from "../../../support/local-server.ts";

const [anthropic] = KEY_PROVIDERS;
if (anthropic === undefined) throw new Error("Anthropic is the first provider.");

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

test("the keys that can be stored, and those of sign-ins, are those that the agent reads, from the same variables", () => {
  const names = KEY_PROVIDERS.flatMap(({ variable, otherVariable }) => [variable, otherVariable ?? variable]);
  for (const { id, variable } of SIGN_INS) expect(variable).toBe(keyVariable(id));
  expect(new Set([...names, ...SIGN_INS.map(({ variable }) => variable)])).toEqual(new Set(KEY_VARIABLE_NAMES));
  for (const { id, variable, addressVariable } of KEY_PROVIDERS) {
    expect([variable, addressVariable]).toEqual([keyVariable(id), ADDRESS_VARIABLES[id]]);
  }
});

test("a key may go to the provider's own servers and to the gateway that the user set, and to no other", () => {
  const gateway = "https://gateway.example.com/v1";
  const addresses = [
    "https://api.anthropic.com/v1",
    "https://gateway.example.com",
    "https://api.anthropic.com.example.net",
    "http://api.anthropic.com",
    "https://relay.example.com/v1",
    "not an address",
  ];
  const allowed = addresses.filter((address) => isAddressOf(anthropic, address, gateway));
  expect(allowed).toEqual(["https://api.anthropic.com/v1", "https://gateway.example.com"]);
  expect(isAddressOf(anthropic, "https://gateway.example.com")).toBe(false);
});

describe("a key", () => {
  test("is sent to the base URL only, and is valid when the provider answers", async () => {
    const seen: unknown[] = [];
    const baseUrl = await serve(({ method, url, headers }, response) => {
      seen.push([method, url, headers["x-api-key"]]);
      response.end("{}");
    });
    expect(await checkKey(anthropic, "sk-1", { baseUrl: `${baseUrl}/` })).toEqual({ kind: "good" });
    expect(seen).toEqual([["GET", "/v1/models?limit=1", "sk-1"]]);
  });

  test.each([
    [401, "refused", "Anthropic doesn't recognize this API key (401)."],
    [403, "refused", "Anthropic doesn't allow this API key to be used (403)."],
  ])("answered with %i is %s", async (status, kind, text) => {
    const baseUrl = await serve((_, response) => response.writeHead(status).end());
    expect(await checkKey(anthropic, "sk-1", { baseUrl })).toEqual({ kind, text });
  });

  test("for which a proxy requires a login is not reached", async () => {
    const baseUrl = await serve((_, response) => response.writeHead(407).end());
    expect(await checkKey(anthropic, "sk-1", { baseUrl })).toMatchObject({
      kind: "unreachable",
      text: expect.stringMatching(/^Couldn't reach .* \(fetch failed\)/),
    });
  });

  test.each([301, 302, 303, 307, 308])("is not sent on to another server with %i", async (status) => {
    const other = await startServer((_, response) => response.end("{}"));
    const first = await startServer((_, response) => response.writeHead(status, { location: other.url }).end());
    expect(await checkKey(anthropic, "sk-1", { baseUrl: first.url })).toMatchObject({ kind: "unknown" });
    expect(first.requests).toHaveLength(1);
    expect(other.requests).toEqual([]);
    await Promise.all([first.stop(), other.stop()]);
  });

  test("refused with 300 MB of text is refused without reading the text", async () => {
    let poured = { sent: 0 };
    const { url, stop } = await startServer((_, response) => {
      response.writeHead(401);
      poured = pour(response, 300 * 1024 * 1024);
    });
    expect(await checkKey(anthropic, "sk-1", { baseUrl: url })).toMatchObject({ kind: "refused" });
    await stop();
    expect(poured.sent).toBeLessThan(24 * 1024 * 1024);
  });

  test.each(["data:text/plain,x", "localhost:8080", "http://me:pw@127.0.0.1:1", "http://127.0.0.1:1/?a"])(
    "is not sent to %s, which is no valid address",
    async (baseUrl) => {
      expect(await checkKey(anthropic, "sk-1", { baseUrl })).toEqual({
        kind: "unreachable",
        text: "ANTHROPIC_BASE_URL must be an address such as https://models.example.com/v1, without a user name, ?, or #.",
      });
    },
  );

  test.each(["", "/", "/v1", "/v1/"])("is sent to an address that ends in %j", async (tail) => {
    const { url, requests, stop } = await startServer((_, response) => response.end("{}"));
    expect(await checkKey(anthropic, "sk-1", { baseUrl: `${url}${tail}` })).toEqual({ kind: "good" });
    expect(requests).toEqual(["GET /v1/models?limit=1"]);
    await stop();
  });

  test("cannot be tested without a list of models, or when another address is named", async () => {
    const paths: unknown[] = [];
    const baseUrl = await serve(({ url }, response) => {
      paths.push(url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    const { host } = new URL(baseUrl);
    expect(await checkKey(anthropic, "sk-1", { baseUrl })).toEqual({
      kind: "unknown",
      text: `Couldn't test the key because ${host} returned 302.`,
    });
    expect(paths).toEqual(["/v1/models?limit=1"]);
  });

  test("of a silent or missing provider is distinguished from a wrong one", async () => {
    const baseUrl = await serve(() => {});
    const { host } = new URL(baseUrl);
    expect(await checkKey(anthropic, "sk-1", { baseUrl, timeoutMs: 100 })).toEqual({
      kind: "unreachable",
      text: `Couldn't reach ${host} (no response within 0.1s). Check your network or proxy.`,
    });
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
    expect(await checkKey(anthropic, "sk-1", { baseUrl })).toEqual({
      kind: "unreachable",
      text: `Couldn't reach ${host} (ECONNREFUSED). Check your network or proxy.`,
    });
  });
});

describe("stored keys", () => {
  test("are kept one per provider and passed in the variable that the agent reads", async () => {
    const kept = new Map<string, string>();
    const storage = {
      get: async (name: string) => kept.get(name),
      store: async (name: string, value: string) => void kept.set(name, value),
      delete: async (name: string) => void kept.delete(name),
    };
    await storeKey(storage, "anthropic", "sk-1");
    await storeKey(storage, "google", "g-1");
    expect(await storedKeys(storage)).toEqual({ ANTHROPIC_API_KEY: "sk-1", GEMINI_API_KEY: "g-1" });
    await deleteKey(storage, "anthropic");
    expect(await storedKeys(storage)).toEqual({ GEMINI_API_KEY: "g-1" });
  });
});
