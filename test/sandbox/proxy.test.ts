import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { SandboxProxy } from "../../agent/sandbox/proxy.ts";

const servers: Server[] = [];
let proxy: SandboxProxy;
let refused: string[];

beforeEach(async () => {
  refused = [];
  // In the network of the tests, as there is no sandbox here.
  proxy = await SandboxProxy.start(["/usr/bin/env"], {
    env: process.env,
    isAllowed: async ({ host }) => host === "allowed.test",
    onRefused: (host) => void refused.push(host),
    addressesOf: async () => ["127.0.0.1"],
  });
});

afterEach(() => {
  proxy.end();
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Sends bytes to the proxy. @returns what comes back until the end. */
async function exchange(text: string): Promise<string> {
  const [host = "", port] = proxy.address.split(":");
  const socket = connect({ host, port: Number(port) });
  socket.write(text);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer;
}

it("connects to a host that is allowed, and passes on what was sent with the request", async () => {
  const port = await portOf(createServer((socket) => socket.once("data", (data) => socket.end(`echo ${data}`))));
  const answer = await exchange(`CONNECT allowed.test:${port} HTTP/1.1\r\nHost: allowed.test\r\n\r\nearly`);
  expect(answer).toBe("HTTP/1.1 200 Connection Established\r\n\r\necho early");
});

it("refuses other hosts, and addresses of this machine even if they are allowed", async () => {
  for (const host of ["other.test", "127.0.0.1", "[::1]", "169.254.169.254"]) {
    expect(await exchange(`CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain("403 Forbidden");
  }
  expect(refused).toEqual(["other.test", "127.0.0.1", "::1", "169.254.169.254"]);
});

it("sends a request to the host that was allowed, whatever its header says", async () => {
  const seen: (string | undefined)[] = [];
  const port = await portOf(
    createHttpServer(({ url, headers }, response) => {
      seen.push(url, headers.host);
      response.end("page");
    }),
  );
  const [host = "", own] = proxy.address.split(":");
  const path = `http://allowed.test:${port}/a?b`;
  const [response] = await once(request({ host, port: own, path, headers: { host: "other.test" } }).end(), "response");
  let text = "";
  for await (const piece of response) text += String(piece);
  expect([text, ...seen]).toEqual(["page", "/a?b", `allowed.test:${port}`]);
});

it("ends a response whose server ends in the middle", async () => {
  const port = await portOf(
    createHttpServer((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("half", () => response.destroy());
    }),
  );
  const answer = await exchange(`GET http://allowed.test:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`).catch(String);
  expect(answer).toMatch(/half|ECONNRESET/);
});

it("answers when no server is there", async () => {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, "close");
  expect(await exchange(`CONNECT allowed.test:${port} HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain("502 Bad Gateway");
});
