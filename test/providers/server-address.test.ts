import { describe, expect, test } from "vitest";
import { createAnthropicProvider } from "../../agent/providers/anthropic.ts";
import { createCompletionsProvider } from "../../agent/providers/completions.ts";
import { startServer } from "../support/local-server.ts";
import { collect, modelAt, requestFor } from "./collect.ts";

const anthropic = createAnthropicProvider();
const completions = createCompletionsProvider();

/** The request that reaches a server at an address that is made of its own. */
async function requestAt(provider: typeof anthropic, address: (url: string) => string, host = "127.0.0.1") {
  const server = await startServer((_, response) => response.writeHead(402).end(), host);
  const request = requestFor(modelAt("claude-opus-5-5", address(server.url)));
  await expect(collect(provider, request)).rejects.toMatchObject({ kind: "quota" });
  await server.stop();
  return server.requests;
}

describe("a server address", () => {
  test.each([
    ["as it is", "", "/v1/messages", "/chat/completions"],
    ["with a slash", "/", "/v1/messages", "/chat/completions"],
    ["with slashes", "///", "/v1/messages", "/chat/completions"],
    ["with the version", "/v1", "/v1/messages", "/v1/chat/completions"],
    ["with the version and a slash", "/v1/", "/v1/messages", "/v1/chat/completions"],
    ["with a path", "/proxy/anthropic", "/proxy/anthropic/v1/messages", "/proxy/anthropic/chat/completions"],
    ["with blanks around it", "/v1  ", "/v1/messages", "/v1/chat/completions"],
  ])("%s leads to the path of the service", async (_, tail, messagesPath, completionsPath) => {
    expect(await requestAt(anthropic, (url) => `${url}${tail}`)).toEqual([`POST ${messagesPath}`]);
    expect(await requestAt(completions, (url) => ` ${url}${tail}`)).toEqual([`POST ${completionsPath}`]);
  });

  test("can be IPv6", async () => {
    expect(await requestAt(anthropic, (url) => url, "::1")).toEqual(["POST /v1/messages"]);
    expect(await requestAt(completions, (url) => `${url}/v1/`, "::1")).toEqual(["POST /v1/chat/completions"]);
  });

  test.each([
    ["data:text/event-stream,data", "must begin with http:// or https://"],
    ["file:///etc/passwd", "must begin with http:// or https://"],
    ["127.0.0.1:8080", "must begin with http:// or https://"],
    ["", "must begin with http:// or https://"],
    ["http://[::1", "must be the address of a server, such as https://models.example.com/v1"],
    ["http://127.0.0.1:1/?a=b", 'must end before the "?" or "#" because Tiller appends the path of each request'],
    ["http://127.0.0.1:1/#a", 'must end before the "?" or "#" because Tiller appends the path of each request'],
    ["http://me@127.0.0.1:1/", "can't contain a user name or password; set a header"],
  ])("is refused before anything is sent: %s", async (address, why) => {
    for (const provider of [anthropic, completions]) {
      await expect(collect(provider, requestFor(modelAt("claude-opus-5-5", address)))).rejects.toMatchObject({
        kind: "invalid_request",
        message: expect.stringMatching(
          new RegExp(
            `^Couldn't send the request: the address of anthropic ${why.replaceAll(/[?[\]]/g, "\\$&")}.*Correct ANTHROPIC_BASE_URL, or`,
          ),
        ),
      });
    }
  });
});
