import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, isIP, type LookupFunction, Server as NetServer, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
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
  /** The environment of the agent. */
  env: NodeJS.ProcessEnv;
  /** True if commands may reach a server. */
  isAllowed(wanted: WantedHost): Promise<boolean>;
  /** Comes for each connection that is refused. */
  onRefused(host: string): void;
  /** Returns the addresses of a host that may be connected to; by default, the public ones. */
  addressesOf?(host: string): Promise<string[]>;
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
    const { port, listener } = await listenInside(enter, options.env);
    const server = createServer((incoming, response) => void forward(incoming, response, options));
    server.on("connect", (incoming: IncomingMessage, socket: Duplex, head: Buffer) => {
      void tunnel(incoming, { socket, head }, options);
    });
    listener.on("connection", (socket: Socket) => server.emit("connection", socket));
    listener.unref();
    return new SandboxProxy(`127.0.0.1:${port}`, server, listener);
  }

  end(): void {
    this.#listener.close();
    this.#server.closeAllConnections();
  }
}

function listenInside(
  [file = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ port: number; listener: NetServer }> {
  const child = spawn(file, [...args, process.execPath, "-e", LISTEN], {
    env: { ...env, NODE_OPTIONS: "" },
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

/** Answers `CONNECT host:port`. @param head what the client has sent already. */
async function tunnel(
  incoming: IncomingMessage,
  { socket: client, head }: { socket: Duplex; head: Buffer },
  options: ProxyOptions,
): Promise<void> {
  client.on("error", () => client.destroy());
  const wanted = hostOf(`http://${incoming.url ?? ""}`, 443);
  const addresses = await allowedAddresses(wanted, options);
  if (wanted === undefined || addresses === undefined) {
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusalText(wanted)}`);
    return;
  }
  const server = connect({ host: wanted.host, port: wanted.port, lookup: only(addresses) });
  const fail = () => client.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  server.once("error", fail);
  server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy(new Error("timed out")));
  server.once("connect", () => {
    server.off("error", fail).setTimeout(0);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    server.write(head);
    pipeline(client, server, client, () => undefined);
  });
  client.once("close", () => server.destroy());
}

/** Answers a request for a whole `http:` address. */
async function forward(incoming: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const wanted = hostOf(incoming.url ?? "", 80);
  const addresses = await allowedAddresses(wanted, options);
  if (wanted === undefined || addresses === undefined) {
    response.writeHead(403, { "content-type": "text/plain" }).end(refusalText(wanted));
    return;
  }
  const { pathname, search, host } = new URL(incoming.url ?? "");
  const { "proxy-connection": _, "proxy-authorization": __, ...headers } = incoming.headers;
  const outgoing = request(
    {
      ...{ host: wanted.host, port: wanted.port, lookup: only(addresses), timeout: CONNECT_TIMEOUT_MS },
      ...{ method: incoming.method, path: pathname + search, headers: { ...headers, host } },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, response, () => undefined);
    },
  );
  pipeline(incoming, outgoing, () => undefined);
  outgoing.once("error", () => response.destroy());
  response.once("close", () => outgoing.destroy());
}

/** Looks every name up as the addresses that were found before, so that a second look-up leads nowhere else. */
function only(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all: wantsAll }, done) => {
    if (wantsAll === true) return done(null, all);
    return done(null, all[0]?.address ?? "", all[0]?.family);
  };
}

function hostOf(address: string, usualPort: number): WantedHost | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "http:" || hostname === "") return undefined;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usualPort : Number(port) };
}

/** Returns the addresses of an allowed host. This machine and private networks are never reached: the sandbox has a `localhost` of its own. */
async function allowedAddresses(wanted: WantedHost | undefined, options: ProxyOptions): Promise<string[] | undefined> {
  if (wanted === undefined) return undefined;
  const { isAllowed, onRefused, addressesOf = publicAddresses } = options;
  const isNamed = isIP(wanted.host) === 0 || isPublicAddress(wanted.host);
  if (isNamed && (await isAllowed(wanted).catch(() => false))) {
    const addresses = await addressesOf(wanted.host).catch(() => []);
    if (addresses.length > 0) return addresses;
  }
  onRefused(wanted.host);
  return undefined;
}

async function publicAddresses(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true, order: "ipv4first" });
  return found.map(({ address }) => address).filter(isPublicAddress);
}

function refusalText(wanted: WantedHost | undefined): string {
  return wanted === undefined
    ? "Tiller's sandbox takes only http: addresses and CONNECT.\n"
    : `Tiller's sandbox refuses connections to ${wanted.host}.\n`;
}
