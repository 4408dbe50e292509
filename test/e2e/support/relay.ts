import { connect, createServer, type Server, type Socket } from "node:net";

/** A fixed address in front of servers that come and go: the editor keeps its environment while each test has its own model server. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #targetPort: number | undefined;

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** Starts a relay on a free port of this machine. */
  static async start(): Promise<Relay> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(0, "127.0.0.1", resolve);
    });
    return new Relay(server);
  }

  get url(): string {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The relay is closed.");
    return `http://127.0.0.1:${address.port}`;
  }

  /** Sets the target of new connections and closes open ones. */
  pointTo(url: string): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#targetPort = Number(new URL(url).port);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    if (this.#targetPort === undefined) {
      socket.destroy();
      return;
    }
    const upstream = connect(this.#targetPort, "127.0.0.1");
    for (const end of [socket, upstream]) {
      this.#sockets.add(end);
      end.on("error", () => {}); // A close follows.
    }
    socket.pipe(upstream).pipe(socket);
    socket.once("close", () => upstream.destroy());
    upstream.once("close", () => socket.destroy());
    for (const end of [socket, upstream]) end.once("close", () => this.#sockets.delete(end));
  }
}
