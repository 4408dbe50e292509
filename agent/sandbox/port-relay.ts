import { type ChildProcess, spawn } from "node:child_process";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { programFor } from "../util/own-program.ts";
import { isSystemError } from "../util/paths.ts";

/** Gets connections that were made outside, and connects each to a server inside. */
const CONNECT = `const { connect } = require("net");
const { pipeline } = require("stream");
process.on("message", ({ host, port }, outer) => {
  if (outer) pipeline(outer, connect(port, host), outer, () => undefined);
});
process.on("disconnect", () => process.exit());`;
/** The variables that the process needs; it lives long, and others may hold secrets. */
const NEEDED: ReadonlySet<string> = new Set(["PATH", "ELECTRON_RUN_AS_NODE", "LD_LIBRARY_PATH"]);
const LOCAL = "127.0.0.1";
const MAX_CONNECTIONS = 256;

/** A server inside. */
interface InnerServer {
  host: string;
  port: number;
}

/** A port outside that leads to a server inside. */
export interface OpenedPort {
  /** The address outside, such as `http://127.0.0.1:3000`. */
  address: string;
  close(): void;
}

/** Leads connections to ports of this machine into a sandbox: a process in its network takes them over. */
export class PortRelay {
  readonly #child: ChildProcess;
  readonly #servers = new Set<Server>();

  /** @param enter the words that run a program in the network of the sandbox. */
  constructor([file = "", ...args]: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(file, [...args, ...programFor(CONNECT)], {
      env: Object.fromEntries(Object.entries(env).filter(([name]) => NEEDED.has(name))),
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    this.#child.on("error", () => this.end());
    this.#child.once("exit", () => this.end());
    this.#child.unref();
    this.#child.channel?.unref();
  }

  get isRunning(): boolean {
    return this.#child.connected;
  }

  /** Opens the same port outside, or another one if that is taken. @throws Error when none can be opened. */
  async open(inner: InnerServer): Promise<OpenedPort> {
    const server = createServer({ pauseOnConnect: true }, (socket) => this.#handOver(socket, inner));
    server.maxConnections = MAX_CONNECTIONS;
    const port = await listen(server, inner.port).catch((error: unknown) => {
      if (!isSystemError(error) || !["EADDRINUSE", "EACCES"].includes(error.code ?? "")) throw error;
      return listen(server, 0);
    });
    server.on("error", () => server.close()).unref();
    this.#servers.add(server);
    return { address: `http://${LOCAL}:${port}`, close: () => this.#close(server) };
  }

  /** Closes all ports and connections. */
  end(): void {
    for (const server of this.#servers) this.#close(server);
    this.#child.kill("SIGKILL");
  }

  #handOver(socket: Socket, inner: InnerServer): void {
    socket.on("error", () => socket.destroy());
    if (!this.isRunning) return void socket.destroy();
    this.#child.send(inner, socket, (error) => {
      if (error !== null) socket.destroy();
    });
  }

  #close(server: Server): void {
    this.#servers.delete(server);
    server.close();
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, LOCAL, () => {
      server.off("error", reject);
      resolve(portOf(server.address()));
    });
  });
}

/** Returns the port of a server that listens. */
export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}
