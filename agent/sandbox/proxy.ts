import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, isIP, Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import * as z from "zod";
import { isPublicAddress } from "../web/public-address.ts";

/** Listens inside, hands the socket to the agent, and ends: a socket stays in the network that it was made in. */
const LISTEN = `const server = require("net").createServer();
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }, server, () => process.exit()));`;
const Listening = z.lazy(() => z.object({ port: z.int() }));
const START_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 30_000;

/** A server that a contained command wants to reach. */
export interface WantedHost {
  host: string;
  port: number;
}

interface ProxyOptions {
  /** True if commands may reach a server. */
  isAllowed(wanted: WantedHost): Promise<boolean>;
  /** Comes for each connection that is refused. */
  onRefused(host: string): void;
}

/** The only way out of a sandbox: an HTTP proxy inside whose connections the agent makes, to the hosts that the user allows. */
export class SandboxProxy {
  /** The address for commands, such as `127.0.0.1:40123`. */
  readonly address: string;
  readonly #server: Server;
  readonly #listener: NetServer;

  private constructor(address: string, server: Server, listener: NetServer) {
    this.address = address;
    this.#server = server;
    this.#listener = listener;
  }

  /** @param enter the words that run a program in the network of the sandbox. @throws Error when nothing can listen there. */
  static async start(enter: readonly string[], options: ProxyOptions): Promise<SandboxProxy> {
    const { port, listener } = await listenInside(enter);
    const server = createServer((incoming, response) => void forward(incoming, response, options));
    server.on("connect", (incoming: IncomingMessage, socket: Duplex) => void tunnel(incoming, socket, options));
    listener.on("connection", (socket: Socket) => server.emit("connection", socket));
    listener.unref();
    return new SandboxProxy(`127.0.0.1:${port}`, server, listener);
  }

  end(): void {
    this.#listener.close();
    this.#server.closeAllConnections();
  }
}

function listenInside([file = "", ...args]: readonly string[]): Promise<{ port: number; listener: NetServer }> {
  const child = spawn(file, [...args, process.execPath, "-e", LISTEN], {
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
    let listening: { port: number; listener: NetServer } | undefined;
    child.once("message", (message, handle) => {
      if (handle instanceof NetServer) listening = { port: Listening.parse(message).port, listener: handle };
    });
    child.once("error", reject);
    // Until it has ended, it would take connections, too.
    child.once("close", () => {
      clearTimeout(timer);
      if (listening === undefined) reject(new Error("The proxy of the sandbox can't listen."));
      else resolve(listening);
    });
  });
}

/** Answers `CONNECT host:port`. */
async function tunnel(incoming: IncomingMessage, client: Duplex, options: ProxyOptions): Promise<void> {
  client.on("error", () => client.destroy());
  const wanted = hostOf(`http://${incoming.url ?? ""}`, 443);
  const address = await allowedAddress(wanted, options);
  if (wanted === undefined || address === undefined) {
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusalText(wanted)}`);
    return;
  }
  const server = connect({ host: address, port: wanted.port });
  server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy(new Error("timed out")));
  server.once("connect", () => {
    server.setTimeout(0);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    client.pipe(server).pipe(client);
  });
  server.once("error", () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
  client.once("close", () => server.destroy());
  server.once("close", () => client.destroy());
}

/** Answers a request for a whole `http:` address. */
async function forward(incoming: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const wanted = hostOf(incoming.url ?? "", 80);
  const address = await allowedAddress(wanted, options);
  if (wanted === undefined || address === undefined) {
    response.writeHead(403, { "content-type": "text/plain" }).end(refusalText(wanted));
    return;
  }
  const { pathname, search } = new URL(incoming.url ?? "");
  const { "proxy-connection": _, "proxy-authorization": __, ...headers } = incoming.headers;
  const outgoing = request(
    { host: address, port: wanted.port, method: incoming.method, path: pathname + search, headers },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    },
  );
  outgoing.once("error", () => response.destroy());
  response.once("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

function hostOf(address: string, usualPort: number): WantedHost | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "http:" || hostname === "") return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usualPort : Number(port) };
}

/** Returns an address of an allowed host. This machine and private networks are never reached: the sandbox has a `localhost` of its own. */
async function allowedAddress(wanted: WantedHost | undefined, options: ProxyOptions): Promise<string | undefined> {
  if (wanted === undefined) return undefined;
  const isGiven = isIP(wanted.host) === 0 || isPublicAddress(wanted.host);
  if (isGiven && (await options.isAllowed(wanted).catch(() => false))) {
    const found = await lookup(wanted.host, { all: true }).catch(() => []);
    const address = found.map((one) => one.address).find(isPublicAddress);
    if (address !== undefined) return address;
  }
  options.onRefused(wanted.host);
  return undefined;
}

function refusalText(wanted: WantedHost | undefined): string {
  return wanted === undefined
    ? "Tiller's sandbox takes only http: addresses and CONNECT.\n"
    : `Tiller's sandbox refuses connections to ${wanted.host}.\n`;
}
