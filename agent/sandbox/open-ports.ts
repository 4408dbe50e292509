import type { OpenedServer } from "../tools/contained.ts";
import type { OpenedPort } from "./port-relay.ts";

const LOOK_MS = 400;
/** The number of looks after which a port counts: what a command leaves may be about to end. */
const SEEN = 2;
/** The number of looks after which a server counts as ended: many servers start anew when a file changes. */
const MISSED = 8;
/** The number of ports that one sandbox may want open at a time. */
const MAX_PORTS = 8;

/** Decides which ports of a sandbox are opened. */
export interface PortAccess {
  /** True for a port that may be opened at all. */
  concerns(port: number): boolean;
  /** Decides whether a port may be reached from outside. @param signal aborts when its server has ended. */
  mayOpen(port: number, signal: AbortSignal): Promise<boolean>;
  /** Comes when a port was opened. */
  onOpened(server: OpenedServer): void;
}

interface OpenPortsOptions extends PortAccess {
  /** Returns the ports on which servers listen, each with its address inside. */
  look(): Promise<ReadonlyMap<number, string>>;
  /** Opens a port outside. */
  open(server: { host: string; port: number }): Promise<OpenedPort>;
  /** True while a command runs in the foreground, whose servers are its own. */
  isForeground(): boolean;
  /** True while anything runs in the sandbox. */
  isBusy(): boolean;
}

interface Seen {
  looks: number;
  missed: number;
  /** Aborts when the server has ended. */
  ended: AbortController;
  isAsked: boolean;
}

/** Makes the servers that commands leave in a sandbox reachable from outside, if the user allows it, until they end. */
export class OpenPorts {
  readonly #options: OpenPortsOptions;
  readonly #seen = new Map<number, Seen>();
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(options: OpenPortsOptions) {
    this.#options = options;
  }

  /** Looks for servers from now on, as long as something runs. */
  watch(): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    if (!this.#options.isBusy()) {
      this.#forgetAll();
      return;
    }
    this.#timer = setTimeout(async () => {
      await this.#lookOnce();
      this.#timer = undefined;
      this.watch();
    }, LOOK_MS);
    this.#timer.unref();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#forgetAll();
  }

  async #lookOnce(): Promise<void> {
    const there = await this.#options.look();
    for (const [port, seen] of this.#seen) {
      seen.missed = there.has(port) ? 0 : seen.missed + 1;
      if (seen.missed >= MISSED) this.#forget(port, seen);
    }
    if (this.#isEnded || this.#options.isForeground()) return;
    for (const [port, host] of there) if (this.#options.concerns(port)) this.#note(port, host);
  }

  #note(port: number, host: string): void {
    const seen = this.#seen.get(port) ?? { looks: 0, missed: 0, ended: new AbortController(), isAsked: false };
    if (!this.#seen.has(port) && this.#seen.size >= MAX_PORTS) return;
    this.#seen.set(port, seen);
    seen.looks += 1;
    if (seen.looks < SEEN || seen.isAsked) return;
    seen.isAsked = true;
    void this.#open({ host, port }, seen.ended.signal).catch(() => undefined); // its server is reachable inside only
  }

  async #open(server: { host: string; port: number }, ended: AbortSignal): Promise<void> {
    const { mayOpen, open, onOpened } = this.#options;
    if (!(await mayOpen(server.port, ended)) || ended.aborted) return;
    const opened = await open(server);
    if (ended.aborted) return opened.close();
    ended.addEventListener("abort", () => opened.close(), { once: true });
    onOpened({ port: server.port, address: opened.address });
  }

  #forget(port: number, seen: Seen): void {
    this.#seen.delete(port);
    seen.ended.abort();
  }

  #forgetAll(): void {
    for (const [port, seen] of this.#seen) this.#forget(port, seen);
  }
}
