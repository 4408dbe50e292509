import { once } from "node:events";
import { createServer as createHttpServer, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SandboxProxy } from "../../agent/sandbox/proxy.ts";
import { upstreamFor } from "../../agent/sandbox/upstream-proxy.ts";

const servers: Server[] = [];
let proxy: SandboxProxy | undefined;
let refused: string[] = [];

afterEach(() => {
  proxy?.end();
  refused = [];
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A company's proxy, which answers every request itself. */
async function company(status = 200): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const server = createHttpServer(({ method, url, headers }, response) => {
    seen.push(`${method} ${url} ${headers.host} ${headers["proxy-authorization"] ?? "-"}`);
    response.end("page");
  });
  server.on("connect", ({ url, headers }, socket: Socket) => {
    seen.push(`CONNECT ${url} ${headers["proxy-authorization"] ?? "-"}`);
    socket.write(`HTTP/1.1 ${status} X\r\n\r\n${status === 200 ? "hello " : ""}`);
    socket.once("data", (data) => socket.end(`echo ${data}`));
    if (status !== 200) socket.end();
  });
  return { port: await portOf(server), seen };
}

async function start(env: NodeJS.ProcessEnv, addresses?: string[]): Promise<void> {
  // In the network of the tests, as there is no sandbox here.
  proxy = await SandboxProxy.start(["/usr/bin/env"], {
    env: { PATH: process.env.PATH, ...env },
    isAllowed: async () => true,
    onRefused: (host) => void refused.push(host),
    addressesOf: async () => {
      if (addresses === undefined) throw new Error("ENOTFOUND");
      return addresses;
    },
  });
}

/** Sends bytes to the sandbox's proxy. @returns what comes back until the end. */
async function exchange(text: string): Promise<string> {
  const [host = "", port] = proxy?.address.split(":") ?? [];
  const socket = connect({ host, port: Number(port) });
  socket.write(text);
  let answer = "";
  for await (const piece of socket) answer += String(piece);
  return answer;
}

const CONNECT = "CONNECT files.test:443 HTTP/1.1\r\nHost: files.test\r\n\r\nearly";

describe("behind a company's proxy, the sandbox", () => {
  it("connects through it with the user's credentials, to names that only the proxy knows", async () => {
    const { port, seen } = await company();
    await start({ HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}` });
    expect(await exchange(CONNECT)).toBe("HTTP/1.1 200 Connection Established\r\n\r\nhello echo early");
    expect(seen).toEqual([`CONNECT files.test:443 Basic ${Buffer.from("me:p@ss").toString("base64")}`]);
  });

  it("requests http: addresses from it, and passes on no credentials of the command", async () => {
    const { port, seen } = await company();
    await start({ http_proxy: `127.0.0.1:${port}` });
    const [host = "", own] = proxy?.address.split(":") ?? [];
    const headers = { host: "other.test", "proxy-authorization": "Basic stolen" };
    const asked = request({ host, port: own, path: "http://files.test/a?b", headers }).end();
    const [response] = await once(asked, "response");
    let text = "";
    for await (const piece of response) text += String(piece);
    expect([text, ...seen]).toEqual(["page", "GET http://files.test/a?b files.test -"]);
  });

  it("says what the proxy answered, without the credentials", async () => {
    const { port } = await company(407);
    await start({ HTTPS_PROXY: `http://me:secret@127.0.0.1:${port}` });
    const answer = await exchange(CONNECT);
    expect(answer).toContain("502 Bad Gateway");
    expect(answer).toContain("Your proxy answered 407 for files.test:443.");
    expect(answer).not.toContain("secret");
  });

  it("still refuses this machine, and names that lead only to private networks", async () => {
    const { port, seen } = await company();
    await start({ HTTPS_PROXY: `http://127.0.0.1:${port}` }, []);
    for (const host of ["localhost", "a.localhost", "127.0.0.1", "[::1]", "10.0.0.1", "intranet.test"]) {
      expect(await exchange(`CONNECT ${host}:443 HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain("403 Forbidden");
    }
    expect(seen).toEqual([]);
    expect(refused).toContain("intranet.test");
  });

  it("connects itself to what NO_PROXY names", async () => {
    const { port, seen } = await company();
    const target = await portOf(createServer((socket) => socket.once("data", (data) => socket.end(`direct ${data}`))));
    await start({ HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "x.test, .files.test" }, ["127.0.0.1"]);
    const answer = await exchange(`CONNECT files.test:${target} HTTP/1.1\r\nHost: x\r\n\r\nearly`);
    expect(answer).toBe("HTTP/1.1 200 Connection Established\r\n\r\ndirect early");
    expect(seen).toEqual([]);
  });

  it.each(["socks5://me:secret@127.0.0.1:1", "http://"])(
    "says that a variable names no such proxy: %s",
    async (address) => {
      await start({ HTTPS_PROXY: address });
      const answer = await exchange(CONNECT);
      expect(answer).toContain("HTTPS_PROXY isn't the address of an HTTP proxy");
      expect(answer).not.toContain("secret");
    },
  );

  it("answers when the proxy is not there", async () => {
    const server = createServer();
    const port = await portOf(server);
    server.close();
    await once(server, "close");
    await start({ HTTPS_PROXY: `http://127.0.0.1:${port}` });
    expect(await exchange(CONNECT)).toContain("502 Bad Gateway");
  });
});

describe("NO_PROXY", () => {
  const isThrough = (list: string, host = "api.files.test", port = 443) =>
    upstreamFor({ host, port }, "https", { https_proxy: "http://proxy.test", NO_PROXY: list }) !== undefined;

  it.each(["*", "files.test", ".files.test", "*.files.test", "a.test,API.files.test", "a.test files.test:443"])(
    "names a server: %s",
    (list) => {
      expect(isThrough(list)).toBe(false);
    },
  );

  it.each(["", "iles.test", "files.test:80", "api.files.test.example"])("doesn't name it: %s", (list) => {
    expect(isThrough(list)).toBe(true);
  });
});
