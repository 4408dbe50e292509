import { createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import * as z from "zod";
import { type Deferred, deferred } from "../../../agent/util/deferred.ts";
import { withDeadline } from "./deadline.ts";

const HOST_DEADLINE_MS = 60_000;

const Reply = z.object({ id: z.number(), value: z.unknown().optional(), error: z.string().optional() });

/** A function for the extension host. It travels as text: it sees only its parameters, and what it returns must be JSON. */
export type HostFunction<A> = (vscode: typeof import("vscode"), argument: A) => unknown;

/** The extension host of one window. */
export class ExtensionHost {
  readonly #socket: Socket;
  readonly #calls = new Map<number, Deferred<unknown>>();
  #lastId = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("error", () => {}); // A close follows.
    socket.once("close", () => {
      for (const call of this.#calls.values()) call.reject(new Error("The extension host went away."));
      this.#calls.clear();
    });
    createInterface({ input: socket }).on("line", (line) => this.#settle(line));
  }

  /** Runs a function there; rejects with what it throws. */
  evaluate<A>(run: HostFunction<A>, argument: A): Promise<unknown> {
    const call = deferred<unknown>();
    this.#lastId += 1;
    this.#calls.set(this.#lastId, call);
    this.#socket.write(`${JSON.stringify({ id: this.#lastId, source: String(run), argument })}\n`);
    return withDeadline(call.promise, HOST_DEADLINE_MS, () => `the extension host to run ${String(run)}`);
  }

  #settle(line: string): void {
    const { id, value, error } = Reply.parse(JSON.parse(line));
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (error === undefined) call?.resolve(value);
    else call?.reject(new Error(`In the extension host: ${error}`));
  }
}

/** The address that the bridge extension of each window connects to. */
export class HostBridge {
  readonly #server: Server;
  #next = deferred<ExtensionHost>();

  constructor(socketPath: string) {
    this.#server = createServer((socket) => {
      this.#next.resolve(new ExtensionHost(socket));
    }).listen(socketPath);
  }

  /** The host that connects first from here on. Call it before the window loads. */
  nextHost(): Promise<ExtensionHost> {
    this.#next = deferred<ExtensionHost>();
    return withDeadline(this.#next.promise, HOST_DEADLINE_MS, () => "an extension host to connect");
  }

  close(): void {
    this.#server.close();
  }
}
