import { setTimeout as delay } from "node:timers/promises";
import type { ToolResult } from "../../extensions/author.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { unlessAborted } from "../../util/unless-aborted.ts";
import { BoundedLines } from "./bounded-lines.ts";
import { callOutput } from "./call-output.ts";
import { progressReporter } from "./call-progress.ts";
import { type Connection, openConnection } from "./connection.ts";
import { expandConfig } from "./expand-config.ts";
import { failureText, isConnectionLost, isSessionLost } from "./failure-text.ts";
import { InputMissing } from "./input-values.ts";
import type { Env } from "./mcp-parts.ts";
import { OfferBook, type OfferingServer, type OfferKind } from "./offers/offer-book.ts";
import { PacedWork } from "./paced-work.ts";
import { ServerAccess } from "./server-access.ts";
import type { ServerConfig, ServerEntry } from "./server-config.ts";
import type { ServerFeatures } from "./server-features.ts";
import { ServerRequests } from "./server-requests.ts";
import type { ServerSurroundings } from "./server-surroundings.ts";
import { SignInDeclined } from "./sign-in-needed.ts";
import { ToolBook, type ToolCall } from "./tool-book.ts";

const RESTART_DELAY_MS = 1000;
/** A server that ran this long before it died was healthy, and may die once more. */
const HEALTHY_MS = 5 * 60_000;
const MAX_INSTRUCTIONS_CHARACTERS = 4000;

/** The problem of a server. */
export type ServerState =
  | { kind: "idle" }
  | { kind: "starting" }
  | { kind: "running" }
  | { kind: "failed"; reason: string; isUnanswered: boolean };

/** One server: started, restarted once when it dies, and ended with everything that it started. */
export class McpServer implements OfferingServer {
  readonly entry: ServerEntry;
  readonly offers: OfferBook;
  readonly #around: ServerSurroundings;
  readonly #tools: ToolBook;
  readonly #log: BoundedLines;
  readonly #requests: ServerRequests;
  #state: ServerState = { kind: "idle" };
  /** Of the last start; undefined for a server that isn't on the network. */
  #access: ServerAccess | undefined;
  #connection: Connection | undefined;
  #starting: Promise<void> | undefined;
  /** The number of running calls of each connection. A connection whose session is lost ends with its last call. */
  readonly #calls = new Map<Connection, number>();
  readonly #toolList: PacedWork;
  readonly #offerLists: PacedWork;
  readonly #changedOffers = new Set<OfferKind>();
  #end = new AbortController();
  #deaths = 0;
  #startedAt = 0;

  constructor(entry: ServerEntry, around: ServerSurroundings) {
    this.entry = entry;
    this.#around = around;
    this.offers = new OfferBook(around.onOffersChanged);
    this.#log = new BoundedLines(`[mcp ${entry.name}]`, around.warn);
    this.#requests = new ServerRequests(entry.name, around);
    const onSlow = () => this.#log.line("announces changes of its lists all the time; they are read less often now.");
    this.#toolList = new PacedWork(() => this.#listAgain(), onSlow);
    this.#offerLists = new PacedWork(() => this.#readChangedOffers(), onSlow);
    this.#tools = new ToolBook(around.api, around.names, entry, (call) => this.#callTool(call));
  }

  get name(): string {
    return this.entry.name;
  }

  get canComplete(): boolean {
    return this.#connection?.features.canComplete === true;
  }

  request<T>(work: (features: ServerFeatures) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#request(({ features }) => work(features), signal);
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The names of its tools. */
  get toolNames(): string[] {
    return this.#tools.names;
  }

  /** Its instructions for the model; undefined if there are none, or if it doesn't run. */
  get instructions(): string | undefined {
    const text = this.#connection?.instructions?.trim();
    if (!text) return undefined;
    return text.length > MAX_INSTRUCTIONS_CHARACTERS ? `${text.slice(0, MAX_INSTRUCTIONS_CHARACTERS)}…` : text;
  }

  /**
   * Starts it unless it runs, is starting or has failed. Resolves when that is done and changing tools are known. Never
   * rejects: it reports problems. Waits only once for a server that is slow to start.
   */
  async start(): Promise<void> {
    const mayStart = this.#state.kind === "idle" || (this.#state.kind === "failed" && this.#state.isUnanswered);
    if (mayStart && this.#starting === undefined) {
      if (this.#end.signal.aborted) this.#end = new AbortController();
      this.#begin(() => this.#open());
      await this.#starting;
    }
    await this.#toolList.done;
  }

  /** Ends it, if it runs, and starts it anew. */
  async restart(): Promise<void> {
    await this.stop();
    this.#around.inputs.forget(this.entry);
    this.#deaths = 0;
    await this.start();
  }

  /** Returns what the user can do about signing in; undefined for a server without it. */
  async signInState(): Promise<"signedIn" | "signedOut" | undefined> {
    if (this.#access?.isForUsers !== true) return undefined;
    return (await this.#access.isSignedIn()) ? "signedIn" : "signedOut";
  }

  /** Signs the user in, and starts the server anew. */
  async signIn(): Promise<void> {
    await this.stop();
    this.#deaths = 0;
    this.#end = new AbortController();
    this.#begin(() => this.#open({ signsInFirst: true }));
    await this.#starting;
  }

  /** Ends what belongs to the current session, because another one begins. */
  sessionEnded(): void {
    this.#requests.sessionEnded();
  }

  /** Forgets the user's sign-in, and ends it. */
  async signOut(): Promise<void> {
    await this.end();
    await this.#access?.signOut();
    this.#state = { kind: "failed", reason: "you have signed out. To sign in, run /mcp.", isUnanswered: false };
  }

  /** Resolves when everything that it started has ended. */
  async stop(): Promise<void> {
    this.#end.abort();
    await this.#access?.end();
    await this.#starting;
    const connections = new Set(this.#calls.keys());
    if (this.#connection !== undefined) connections.add(this.#connection);
    this.#connection = undefined;
    this.#state = { kind: "idle" };
    await Promise.all([...connections].map((connection) => connection.close()));
    this.#log.end();
  }

  /** Stops it and removes its tools. Resolves when everything that it started has ended. */
  async end(): Promise<void> {
    await this.stop();
    this.#tools.replace([]);
    this.offers.clear();
  }

  #begin(work: () => Promise<void>): void {
    this.#state = { kind: "starting" };
    this.#starting = work().finally(() => {
      this.#starting = undefined;
    });
  }

  async #open({ signsInFirst = false } = {}): Promise<void> {
    const { signal } = this.#end;
    const { inputs, cwd, childEnv, wholeEnv, isOffline } = this.#around;
    try {
      if (isOffline && this.entry.config.kind === "http") throw new Error("the agent is offline (--offline).");
      const env = childEnv();
      // A project's file must not choose where keys go.
      const named = this.entry.file.scope === "user" ? { ...wholeEnv, ...env } : env;
      const values = { env: named, cwd, inputs: await inputs.valuesFor(this.entry, signal) };
      const config = expandConfig(this.entry.config, values);
      this.#access = this.#accessTo(config);
      if (signsInFirst) await this.#signInFirst(this.#access, signal);
      await this.#signedIn(() => this.#connect(config, env, signal), signal);
      if (this.#connection !== undefined) this.#run();
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  /** A user who cancels stays signed in as before. */
  async #signInFirst(access: ServerAccess | undefined, signal: AbortSignal): Promise<void> {
    try {
      await access?.signIn(signal);
    } catch (error) {
      if (signal.aborted || (await access?.isSignedIn()) !== true) throw error;
      this.#around.ui().notify(`${this.entry.name}: ${errorMessage(error)}`, "warning");
    }
  }

  #accessTo(config: ServerConfig): ServerAccess | undefined {
    if (config.kind !== "http") return undefined;
    const { secrets, openUrl, ui } = this.#around;
    const { name, file } = this.entry;
    return new ServerAccess({ name, file: file.path, config, secrets, openUrl, ui }, this.#access?.challenge);
  }

  /** Does work that sends requests; the user may have to sign in for it. */
  #signedIn<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#access === undefined ? work() : this.#access.run(work, signal);
  }

  async #connect(config: ServerConfig, env: Env, signal: AbortSignal): Promise<void> {
    const { cwd, isProjectTrusted, version, startTimeoutMs, logLevel } = this.#around;
    const connection = await openConnection({
      config,
      cwd,
      place: { file: this.entry.file, cwd, isProjectTrusted },
      env,
      version,
      startTimeoutMs,
      signal,
      log: this.#log,
      logLevel,
      fetch: this.#access?.fetch ?? fetch,
      requests: this.#requests,
      onToolsChanged: () => this.#toolList.ask(signal),
      features: {
        onOffersChanged: (kind) => {
          this.#changedOffers.add(kind);
          this.#offerLists.ask(signal);
        },
        onResourceChanged: (uri) => this.#around.onResourceChanged(this.name, uri),
      },
      onClosed: () => this.#lost(),
    });
    this.#connection = connection;
    try {
      await this.#list(connection);
      await this.#readOffers(["resources", "prompts"], connection);
      if (!connection.isOpen) throw new Error(`it has ${connection.ending}.`);
    } catch (error) {
      this.#connection = undefined;
      await connection.close();
      throw isConnectionLost(error) ? new Error(`it has ${connection.ending}.`, { cause: error }) : error;
    }
  }

  #run(): void {
    this.#state = { kind: "running" };
    this.#startedAt = performance.now();
  }

  #fail(error: unknown): void {
    const reason = failureText(error, this.entry, this.#around.startTimeoutMs);
    const isUnanswered = error instanceof InputMissing;
    if (!isUnanswered) this.#around.inputs.forget(this.entry); // what the user entered may be the reason
    this.#state = { kind: "failed", reason, isUnanswered };
    const text = `MCP server "${this.entry.name}" (${this.entry.file.path}) is not running: ${reason}`;
    const canSignIn = error instanceof SignInDeclined && this.#access?.isForUsers === true;
    this.#around.report(text, canSignIn ? this.entry.name : undefined);
    if (this.#deaths > 0) this.#around.ui().notify(`${text} To restart it, run /mcp.`, "error");
  }

  async #list(connection: Connection): Promise<void> {
    const problems = this.#tools.replace(await connection.listTools(this.#end.signal));
    for (const problem of problems) this.#around.report(`MCP server "${this.entry.name}": ${problem}`);
  }

  /** The tools remain available if these lists fail. */
  async #readOffers(kinds: readonly OfferKind[], connection: Connection): Promise<void> {
    try {
      await this.offers.read(kinds, connection.features, this.#end.signal);
    } catch (error) {
      this.#log.line(`couldn't list its ${kinds.join(" and ")}: ${failureText(error, this.entry)}`);
    }
  }

  async #readChangedOffers(): Promise<void> {
    const kinds = [...this.#changedOffers];
    this.#changedOffers.clear();
    if (this.#connection !== undefined) await this.#readOffers(kinds, this.#connection);
  }

  async #listAgain(): Promise<void> {
    try {
      if (this.#connection !== undefined) await this.#list(this.#connection);
    } catch (error) {
      this.#log.line(`couldn't list its tools: ${failureText(error, this.entry)}`);
    }
  }

  /** Called when the connection ended by itself. The code that opens a connection handles an end during that time. */
  #lost(): void {
    const ending = this.#connection?.ending ?? "ended";
    if (this.#state.kind !== "running" || this.#end.signal.aborted) return;
    this.#connection = undefined;
    this.#log.end();
    this.#deaths = performance.now() - this.#startedAt >= HEALTHY_MS ? 1 : this.#deaths + 1;
    if (this.#deaths > 1) {
      this.#fail(new Error(`it has ${ending} a second time.`));
      return;
    }
    this.#around.warn(`MCP server "${this.entry.name}" has ${ending} and is restarting.`);
    this.#begin(async () => {
      await delay(RESTART_DELAY_MS, undefined, { signal: this.#end.signal }).catch(() => undefined); // stopped meanwhile
      if (!this.#end.signal.aborted) await this.#open();
    });
  }

  async #callTool({ tool, args, signal, onUpdate }: ToolCall): Promise<ToolResult> {
    const onProgress = progressReporter(onUpdate);
    return callOutput(await this.#request((connection) => connection.call(tool, args, signal, onProgress), signal));
  }

  /**
   * Sends a request to the server, after a sign-in if it needs one, and again if the server has lost the session.
   * @throws Error for people, also when the server isn't running.
   */
  async #request<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      const connection = await this.#running(signal);
      try {
        const send = () => this.#signedIn(() => this.#counted(connection, work), signal);
        return await this.#requests.pages.run(send, signal);
      } catch (error) {
        if (signal.aborted) throw new Error("Operation aborted");
        if (isRepeated || !isSessionLost(error)) throw this.#forPeople(error, connection);
        await this.#renew(connection);
      }
    }
  }

  #forPeople(error: unknown, { ending }: Connection): Error {
    const server = `MCP server "${this.entry.name}"`;
    if (isConnectionLost(error)) return new Error(`${server} has ${ending} before it answered.`);
    return new Error(`${server}: ${failureText(error, this.entry)}`, { cause: error });
  }

  async #counted<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#calls.set(connection, (this.#calls.get(connection) ?? 0) + 1);
    try {
      return await work(connection);
    } finally {
      const left = (this.#calls.get(connection) ?? 1) - 1;
      if (left > 0) this.#calls.set(connection, left);
      else this.#calls.delete(connection);
      if (left === 0 && this.#connection !== connection) void connection.close();
    }
  }

  /** Opens a new session in place of one that the server has lost. Other calls of the old one may still get their answers. */
  async #renew(lost: Connection): Promise<void> {
    if (this.#connection !== lost) return; // another call has done it
    this.#connection = undefined;
    if (!this.#calls.has(lost)) void lost.close();
    this.#begin(() => this.#open());
    await this.#starting;
  }

  /** Returns the connection, and waits while it opens. @throws Error when the server does not run. */
  async #running(signal: AbortSignal): Promise<Connection> {
    if (this.#starting !== undefined) await unlessAborted(this.#starting, signal, 0);
    signal.throwIfAborted();
    if (this.#connection === undefined) {
      throw new Error(`MCP server "${this.entry.name}" isn't running. To restart it, run /mcp.`);
    }
    return this.#connection;
  }
}
