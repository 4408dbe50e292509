import { createServer } from "node:http";

import { describe, expect, it, onTestFinished } from "vitest";
import { BoundedLines } from "../../../agent/bundled/mcp/bounded-lines.ts";
import { type Connection, openConnection } from "../../../agent/bundled/mcp/connection.ts";
import { answer, beginStream, type OddRequest, oddHttpServer } from "../../support/odd-http-server.ts";

interface Opening {
  isSse?: boolean;
  startTimeoutMs?: number;
  signal?: AbortSignal;
}

/** Connects to a server on HTTP. */
function open(url: string, { isSse = false, startTimeoutMs = 20_000, signal }: Opening = {}): Promise<Connection> {
  return openConnection({
    config: { kind: "http", isSse, url, headers: {} },
    cwd: "/",
    place: { file: { path: "/mcp.json", scope: "user" }, cwd: "/", isProjectTrusted: false },
    env: {},
    version: "1",
    startTimeoutMs,
    signal: signal ?? new AbortController().signal,
    log: new BoundedLines("", () => undefined),
    logLevel: "warning",
    fetch,
    requests: {
      elicit: async () => ({ action: "decline" }),
      sample: async () => Promise.reject(new Error("no")),
      pages: { completed: () => undefined },
    },
    onToolsChanged: () => undefined,
    features: { onOffersChanged: () => undefined, onResourceChanged: () => undefined },
    onClosed: () => undefined,
  });
}

/** Calls a tool of a server that handles calls and requests without a message so. @returns the error of the call, or its result. */
async function called(handle: (request: OddRequest) => unknown): Promise<unknown> {
  const url = await oddHttpServer((got) => {
    if (got.message.method === "GET" && got.request.headers["last-event-id"] === undefined)
      return got.response.writeHead(405).end();
    return handle(got);
  });
  const connection = await open(url);
  const result = connection.call("x", {}, new AbortController().signal, () => undefined);
  const got = await result.then(
    ({ content }) => content,
    (error: unknown) => String(error),
  );
  await connection.close();
  return got;
}

const CLOSED = "McpError: MCP error -32000: Connection closed";
const TOO_LONG = "its answer has more than 32 MB.";

describe("a call over HTTP", () => {
  it("fails when its stream ends without an answer", async () => {
    const got = await called((request) => {
      beginStream(request);
      request.response.end();
    });
    expect(got).toBe(CLOSED);
  });

  it("fails when its stream breaks", async () => {
    const got = await called((request) => {
      beginStream(request);
      setTimeout(() => request.response.destroy(), 100);
    });
    expect(got).toBe(CLOSED);
  });

  it("fails when the answer is to something else", async () => {
    expect(await called(({ response }) => answer({ response, message: { id: 77, method: "", params: {} } }, {}))).toBe(
      CLOSED,
    );
  });

  it("goes on when its stream continues elsewhere", async () => {
    let id: unknown;
    const got = await called(({ request, response, message }) => {
      if (message.method === "tools/call") {
        id = message.id;
        beginStream({ response }, "retry: 1\nid: one\ndata: \n\n");
        return response.end();
      }
      expect(request.headers["last-event-id"]).toBe("one");
      beginStream({ response });
      return response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: ["late"] } })}\n\n`);
    });
    expect(got).toEqual(["late"]);
  });

  it.each([404, 405])("fails when its stream can't be continued (%s)", async (status) => {
    const got = await called(({ response, message }) => {
      if (message.method !== "tools/call") return response.writeHead(status).end();
      beginStream({ response }, "retry: 1\nid: one\ndata: \n\n");
      return response.end();
    });
    expect(got).toBe(CLOSED);
  });

  it("fails when its stream continues and ends again without an answer", async () => {
    const got = await called(({ response, message }) => {
      beginStream({ response }, message.method === "tools/call" ? "retry: 1\nid: one\ndata: \n\n" : undefined);
      response.end();
    });
    expect(got).toBe(CLOSED);
  });

  it.each(["application/json", "text/event-stream"])("fails when its answer is too long (%s)", async (type) => {
    let isClosed = false;
    const got = await called(({ response }) => {
      response.on("close", () => {
        isClosed = true;
      });
      response.writeHead(200, { "content-type": type });
      response.write("data: ");
      const chunk = "x".repeat(1 << 20);
      const more = () => {
        while (!isClosed && response.write(chunk));
        if (!isClosed) response.once("drain", more);
      };
      more();
    });
    expect(got).toContain(TOO_LONG);
  });

  it("takes more than that in several events", async () => {
    const got = await called(({ response, message }) => {
      beginStream({ response });
      const note = {
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "debug", data: "x".repeat(5 << 20) },
      };
      for (let count = 0; count < 8; count++) response.write(`data: ${JSON.stringify(note)}\r\n\r\n`);
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: ["ok"] } })}\n\n`);
    });
    expect(got).toEqual(["ok"]);
  });
});

/** Starts a server that answers no request as it should. */
async function rawServer(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/mcp`;
}

describe("the start of a server", () => {
  const silentStream = () => rawServer((_request, response) => beginStream({ response }));

  it("ends in time when its stream says nothing", async () => {
    const opening = open(await silentStream(), { isSse: true, startTimeoutMs: 300 });
    await expect(opening).rejects.toThrow("Request timed out");
  });

  it("ends when it is aborted", async () => {
    const opening = open(await silentStream(), { isSse: true, signal: AbortSignal.timeout(300) });
    await expect(opening).rejects.toThrow("timeout");
  });

  it("ends in time when a notification gets no answer", async () => {
    const url = await rawServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const { id, params } = JSON.parse(body || "{}");
      if (id === undefined) return;
      const result = {
        protocolVersion: params.protocolVersion,
        capabilities: {},
        serverInfo: { name: "x", version: "1" },
      };
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    await expect(open(url, { startTimeoutMs: 300 })).rejects.toThrow("Request timed out");
  });
});

describe("a list of a server", () => {
  it("that never ends has a limit", async () => {
    const tools = Array.from({ length: 900 }, () => ({ name: "t" }));
    const url = await oddHttpServer((got) =>
      got.message.method === "GET" ? got.response.writeHead(405).end() : answer(got, { tools, nextCursor: "more" }),
    );
    const connection = await open(url);
    expect(await connection.listTools(new AbortController().signal)).toHaveLength(2000);
    await connection.close();
  });

  it("gets the time of one request, however many pages it has", async () => {
    let pages = 0;
    const url = await oddHttpServer((got) => {
      if (got.message.method === "GET") return got.response.writeHead(405).end();
      pages++;
      return setTimeout(() => answer(got, { tools: [], nextCursor: "more" }), 400);
    });
    const connection = await open(url, { startTimeoutMs: 2000 });
    await expect(connection.listTools(new AbortController().signal)).rejects.toThrow("timed out");
    expect(pages).toBeLessThan(10);
    await connection.close();
  });
});
