import { afterEach, describe, expect, test } from "vitest";
import { createAnthropicProvider } from "../../agent/providers/anthropic.ts";
import { createAzureProvider } from "../../agent/providers/azure.ts";
import { createBedrockProvider } from "../../agent/providers/bedrock.ts";
import { createCompletionsProvider } from "../../agent/providers/completions.ts";
import { type Provider, ProviderError } from "../../agent/providers/provider.ts";
import { createResponsesProvider } from "../../agent/providers/responses.ts";
import { type LocalServer, pour, startServer } from "../support/local-server.ts";
import { collect, modelAt, requestFor } from "./collect.ts";

const servers: LocalServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function serve(...parts: Parameters<typeof startServer>): Promise<LocalServer> {
  const server = await startServer(...parts);
  servers.push(server);
  return server;
}

/** Asks the server, which answers with a failure. */
async function failureAt(provider: Provider, baseUrl: string): Promise<ProviderError> {
  const error: unknown = await collect(provider, requestFor(modelAt("claude-opus-5-5", baseUrl))).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProviderError)) throw new Error(`The request should have failed: ${JSON.stringify(error)}`);
  return error;
}

const HUGE = 300 * 1024 * 1024;
/** Bytes that the buffers of system and client may hold beyond those that are read. */
const BUFFERED = 24 * 1024 * 1024;

describe.each([
  ["Messages", createAnthropicProvider(), "/v1/messages"],
  ["chat completions", createCompletionsProvider(), "/chat/completions"],
  ["Responses", createResponsesProvider(), "/responses"],
  ["Azure's Responses", createAzureProvider({ env: {} }), "/responses"],
  ["Converse", createBedrockProvider({ env: { HOME: "/nonexistent" } }), "/model/claude-opus-5-5/converse-stream"],
])("a server that speaks %s", (_, provider, path) => {
  test.each([301, 302, 303, 307, 308])(
    "cannot redirect key and conversation to another one with %i",
    async (status) => {
      const other = await serve((_, response) => response.end());
      const server = await serve((_, response) => response.writeHead(status, { location: `${other.url}/v1` }).end());
      const { kind, message } = await failureAt(provider, server.url);
      expect(kind).toBe("invalid_request");
      expect(message).toBe(
        `${server.url.slice(7)} redirects requests to ${other.url}. Tiller sent no key there because the key is for the address you set. If the other address is right, set it as ANTHROPIC_BASE_URL or OPENAI_BASE_URL, or as baseUrl in models.json.`,
      );
      expect(server.requests).toEqual([`POST ${path}`]);
      expect(other.requests).toEqual([]);
    },
  );

  test.each(["https://127.0.0.1:1/v1", "data:text/plain,x", "http://"])(
    "cannot redirect them to %s",
    async (location) => {
      const server = await serve((_, response) => response.writeHead(307, { location }).end());
      const { kind, message } = await failureAt(provider, server.url);
      expect({ kind, message }).toMatchObject({
        kind: "invalid_request",
        message: expect.stringContaining("redirects requests to"),
      });
      expect(server.requests).toHaveLength(1);
    },
  );

  test("can redirect to another path of its own", async () => {
    const bodies: string[] = [];
    const server = await serve(async (request, response) => {
      if (request.url === path) response.writeHead(307, { location: "/there" }).end();
      else {
        bodies.push((await request.toArray()).join(""));
        response.writeHead(402).end();
      }
    });
    expect(await failureAt(provider, server.url)).toMatchObject({ kind: "quota" });
    expect(server.requests).toEqual([`POST ${path}`, "POST /there"]);
    expect(bodies[0]).toContain("Hello");
  });

  test("is not followed in a circle", async () => {
    const server = await serve((_, response) => response.writeHead(307, { location: path }).end());
    expect((await failureAt(provider, server.url)).message).toContain("keeps redirecting requests to itself");
    expect(server.requests).toHaveLength(4);
  });

  test.each([500, 400])("that fails with %i and 300 MB of text is cut off", async (status) => {
    let poured = { sent: 0 };
    const server = await serve((_, response) => {
      response.writeHead(status, { "content-type": "text/plain" });
      poured = pour(response, HUGE);
    });
    const { message } = await failureAt(provider, server.url);
    expect(message.length).toBeLessThan(3000);
    expect(poured.sent).toBeLessThan(BUFFERED);
  });
});
