import { createServer, type RequestListener, type Server } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { findLocalServers } from "../../../../extension/core/setup/local-servers.ts";
import { listModels, testModel } from "../../../../extension/core/setup/server-models.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Starts a server. @returns its address, as models.json would have it. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`;
}

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
const LIST = { data: [{ id: "qwen3" }, { id: "gpt-oss:20b" }, { id: "nomic-embed-text" }] };

describe("the models of a server", () => {
  it("are listed by name, without those that don't chat, and with the key", async () => {
    const asked: (string | undefined)[] = [];
    const baseUrl = await serve((request, response) => {
      asked.push(request.url, request.headers.authorization);
      json(LIST)(request, response);
    });
    expect(await listModels({ baseUrl, key: "secret" })).toEqual(["gpt-oss:20b", "qwen3"]);
    expect(asked).toEqual(["/v1/models", "Bearer secret"]);
  });

  it("can't be listed by a server that refuses, and it says why", async () => {
    const baseUrl = await serve(json({ error: { message: "No such key." } }, 401));
    await expect(listModels({ baseUrl })).rejects.toThrow(/^127\.0\.0\.1:\d+ returned 401\. No such key\.$/);
  });

  it("can't be listed by something else that answers there", async () => {
    const baseUrl = await serve((_, response) => response.end("<html>"));
    await expect(listModels({ baseUrl })).rejects.toThrow("didn't return a list of models.");
  });

  it("can't be listed by a server that never stops sending, and it isn't read to an end", async () => {
    let isClosed = false;
    const baseUrl = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const send = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on("drain", send).on("close", () => {
        isClosed = true;
      });
      send();
    });
    await expect(listModels({ baseUrl })).rejects.toThrow("didn't return a list of models.");
    await expect.poll(() => isClosed).toBe(true);
  });

  it("are looked for at once at every local server, and those that don't answer are left out", async () => {
    const baseUrl = await serve(json(LIST));
    const found = await findLocalServers(new AbortController().signal, [
      { id: "gone", name: "Gone", baseUrl: "http://127.0.0.1:65535/v1" },
      { id: "ollama", name: "Ollama", baseUrl },
    ]);
    expect(found).toEqual([{ id: "ollama", name: "Ollama", baseUrl, models: ["gpt-oss:20b", "qwen3"] }]);
  });
});

describe("the test of a model", () => {
  it("passes when the model answers", async () => {
    const bodies: string[] = [];
    const baseUrl = await serve((request, response) => {
      request.on("data", (chunk: Buffer) => bodies.push(String(chunk)));
      request.on("end", () => json({ choices: [{ message: { content: "OK" } }] })(request, response));
    });
    await testModel({ baseUrl }, "qwen3");
    expect(JSON.parse(bodies.join(""))).toMatchObject({ model: "qwen3", messages: [{ role: "user" }] });
  });

  it("fails with the words of the server", async () => {
    const baseUrl = await serve(json({ error: "model 'x' not found" }, 404));
    await expect(testModel({ baseUrl }, "x")).rejects.toThrow("returned 404. model 'x' not found");
  });

  it("fails when nothing answers in time, or there is no server", async () => {
    const silent = await serve(() => {});
    await expect(testModel({ baseUrl: silent }, "x", { timeoutMs: 50 })).rejects.toThrow("no response within");
    await expect(testModel({ baseUrl: "http://127.0.0.1:65535/v1" }, "x")).rejects.toThrow("(ECONNREFUSED)");
  });
});
