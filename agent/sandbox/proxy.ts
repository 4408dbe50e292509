import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { request as requestSecure } from "node:https";
import { connect, isIP, type LookupFunction, Server as NetServer, type Socket } from "node:net";
import { type Duplex, pipeline } from "node:stream";
import * as z from "zod";
import { errorMessage } from "../protocol/errors.ts";
import { programFor } from "../util/own-program.ts";
import { isPublicAddress } from "../web/public-address.ts";
import { connectThrough, type UpstreamProxy, upstreamFor } from "./upstream-proxy.ts";

/** Listens inside, hands the socket to the agent, and ends: a socket stays in the network that it was made in. */
const LISTEN = `const server = require("net").createServer();
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }, server, () => process.exit()));`;
const Listening = z.lazy(() => z.object({ port: z.int() }));
const LOCAL_NAME = /(^|\.)localhost\.?$/i;
const START_TIMEOUT_MS = 10_000;
const CONNECT_TIMEOUT_MS = 30_000;
/** The time for which a name is looked up that the user's proxy may look up instead. */
const LOOKUP_TIMEOUT_MS = 3000;

/** A server that a contained command wants to reach. */
export interface WantedHost {
  host: string;
  port: number;
}

interface ProxyOptions {
  /** The environment of the agent, which may name a proxy that leads to the internet. */
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
  const child = spawn(file, [...args, ...programFor(LISTEN)], {
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
  try {
    const way = await wayTo(wanted, "https", options);
    if (wanted === undefined || way === undefined) {
      client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\n\r\n${refusalText(wanted)}`);
      return;
    }
    const server = await open(way, wanted);
    if (client.destroyed) {
      server.destroy();
      return;
    }
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    server.write(head);
    pipeline(client, server, client, () => undefined);
  } catch (error) {
    client.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain\r\n\r\n${errorMessage(error)}\n`);
  }
}

/** Connects to a server. */
function open({ proxy, addresses }: WayOut, wanted: WantedHost): Promise<Duplex> {
  if (proxy !== undefined) return connectThrough(proxy, wanted);
  const server = connect({ ...wanted, lookup: only(addresses) });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy(new Error("The server doesn't answer.")));
    server.once("connect", () => {
      server.off("error", reject).setTimeout(0);
      resolve(server);
    });
  });
}

/** Answers a request for a whole `http:` address. */
async function forward(incoming: IncomingMessage, response: ServerResponse, options: ProxyOptions): Promise<void> {
  const wanted = hostOf(incoming.url ?? "", 80);
  try {
    const way = await wayTo(wanted, "http", options);
    if (wanted !== undefined && way !== undefined) return passOn({ incoming, response }, wanted, way);
    response.writeHead(403, { "content-type": "text/plain" }).end(refusalText(wanted));
  } catch (error) {
    response.writeHead(502, { "content-type": "text/plain" }).end(`${errorMessage(error)}\n`);
  }
}

function passOn(
  { incoming, response }: { incoming: IncomingMessage; response: ServerResponse },
  wanted: WantedHost,
  { proxy, addresses }: WayOut,
): void {
  const { href, pathname, search, host } = new URL(incoming.url ?? "");
  const { "proxy-connection": _, "proxy-authorization": __, ...headers } = incoming.headers;
  const ask = proxy?.isSecure === true ? requestSecure : request;
  const outgoing = ask(
    {
      ...(proxy === undefined ? { ...wanted, lookup: only(addresses) } : { host: proxy.host, port: proxy.port }),
      ...{ method: incoming.method, path: proxy === undefined ? pathname + search : href },
      ...{ headers: { ...headers, ...proxy?.headers, host }, timeout: CONNECT_TIMEOUT_MS },
      agent: false, // the common one may have a proxy of its own
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

/** A way to a server: to one of its addresses, or through a proxy, which looks the name up. */
interface WayOut {
  addresses: readonly string[];
  proxy: UpstreamProxy | undefined;
}

/** Returns the way to an allowed host. This machine and private networks are never reached: the sandbox has a `localhost` of its own. */
async function wayTo(
  wanted: WantedHost | undefined,
  scheme: "http" | "https",
  options: ProxyOptions,
): Promise<WayOut | undefined> {
  if (wanted === undefined) return undefined;
  const { isAllowed, onRefused, addressesOf = publicAddresses, env } = options;
  const isNamed = isIP(wanted.host) === 0 ? !LOCAL_NAME.test(wanted.host) : isPublicAddress(wanted.host);
  if (isNamed && (await isAllowed(wanted).catch(() => false))) {
    const proxy = upstreamFor(wanted, scheme, env);
    const looking = addressesOf(wanted.host);
    const addresses = await (proxy === undefined ? looking : withinTime(looking)).catch(() => undefined);
    // Behind a proxy, names of the internet may be unknown; those that are known lead to no private network.
    if (addresses === undefined ? proxy !== undefined : addresses.length > 0)
      return { addresses: addresses ?? [], proxy };
  }
  onRefused(wanted.host);
  return undefined;
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("The name isn't found in time.")), LOOKUP_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
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
