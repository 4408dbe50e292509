import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { portsIn } from "../../agent/sandbox/listening-ports.ts";
import { Sandbox } from "../../agent/sandbox/sandbox.ts";
import type { OpenedServer } from "../../agent/tools/contained.ts";

let folder: string;
let sandbox: Sandbox;
let asked: number[];
let isAllowed: boolean;
let opened: OpenedServer[];

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "tiller-ports-")));
  for (const name of ["work", "home/.tiller"]) mkdirSync(join(folder, name), { recursive: true });
  [asked, opened, isAllowed] = [[], [], true];
  sandbox = new Sandbox({
    ...{ roots: [join(folder, "work")], home: join(folder, "home"), agentDir: join(folder, "home/.tiller") },
    ...{ caches: [], hidden: [], isSecret: () => false, env: process.env, mayReach: undefined },
    onTaken: () => undefined,
    ports: {
      concerns: () => true,
      mayOpen: async (port) => {
        asked.push(port);
        return isAllowed;
      },
      onOpened: (server) => opened.push(server),
    },
  });
});

afterEach(async () => {
  await sandbox.end();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

async function run(script: string, isReadOnly = false): Promise<void> {
  const contained = await sandbox.contain({ isReadOnly });
  const shell = { shellPath: "/bin/bash", script };
  const { file, args, env } = contained.enter(shell, join(folder, "work"), process.env);
  await once(spawn(file, args, { cwd: "/", env, stdio: "ignore" }), "exit");
  await contained.end();
}

/** Not with the Node of the tests, which could lie in the folder for temporary files: the sandbox has one of its own. */
const server = (port: number, host: string) =>
  `node -e 'require("http").createServer((_, r) => r.end("inside")).listen(${port}, "${host}")'`;

const textAt = async ({ address }: OpenedServer) => (await fetch(address)).text();

/** Waits until the server was looked for a few times. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 1500));

async function firstOpened(): Promise<OpenedServer> {
  await expect.poll(() => opened.length, { timeout: 10_000 }).toBe(1);
  return opened[0] as OpenedServer;
}

describe("a server that a command leaves in the sandbox", () => {
  it.each(["127.0.0.1", "0.0.0.0", "::"])("is reached at the same port outside when it listens on %s", async (host) => {
    const port = await freePort();
    await run(`${server(port, host)} &`);
    const first = await firstOpened();
    expect(first).toEqual({ port, address: `http://127.0.0.1:${port}` });
    expect(await Promise.all(Array.from({ length: 20 }, () => textAt(first)))).toEqual(Array(20).fill("inside"));
    expect(asked).toEqual([port]);
    expect(sandbox.takeOpened()).toEqual([first]);
    expect(sandbox.takeOpened()).toEqual([]);
  });

  it("is reached at another port when its own is taken outside", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    try {
      await run(`${server(port, "127.0.0.1")} &`);
      const first = await firstOpened();
      expect(first.port).toBe(port);
      expect(first.address).not.toBe(`http://127.0.0.1:${port}`);
      expect(await textAt(first)).toBe("inside");
    } finally {
      taken.close();
    }
  });

  it("isn't reached when the user refuses, who is asked once", async () => {
    isAllowed = false;
    const port = await freePort();
    await run(`${server(port, "127.0.0.1")} &`);
    await expect.poll(() => asked, { timeout: 10_000 }).toEqual([port]);
    await looks();
    expect([asked, opened]).toEqual([[port], []]);
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });

  it("frees the port when it ends", async () => {
    const port = await freePort();
    await run(`${server(port, "127.0.0.1")} & echo $! > pid`);
    expect(await textAt(await firstOpened())).toBe("inside");
    await run("kill $(cat pid)");
    await expect.poll(() => isFree(port), { timeout: 10_000 }).toBe(true);
  });

  it("frees the port when the sandbox ends", async () => {
    const port = await freePort();
    await run(`${server(port, "127.0.0.1")} &`);
    expect(await textAt(await firstOpened())).toBe("inside");
    await sandbox.end();
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  });
});

describe("nobody is asked about a port", () => {
  it("of a command in the foreground", async () => {
    await run(`sleep 30 & ${server(await freePort(), "127.0.0.1")} & sleep 2; kill %2; wait %2`);
    await looks();
    expect(asked).toEqual([]);
  });

  it("when a command may only read", async () => {
    await run(`${server(await freePort(), "127.0.0.1")} &`, true);
    await looks();
    expect(asked).toEqual([]);
  });
});

describe("the kernel's list of connections", () => {
  it("names the ports on which servers listen at addresses of the machine itself", () => {
    const rest = "00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0";
    const list = [
      "  sl  local_address rem_address   st tx_queue rx_queue",
      `   0: 0100007F:0BB8 ${rest}`,
      `   1: 0500A8C0:1F90 ${rest}`,
      `   2: 0100007F:0BB9 ${rest.replace(" 0A ", " 01 ")}`,
      `   3: 00000000000000000000000001000000:1435 00000000000000000000000000000000:0000 ${rest.slice(14)}`,
    ];
    expect([...portsIn(list.join("\n"))]).toEqual([
      [3000, "127.0.0.1"],
      [5173, "::1"],
    ]);
  });
});
