import { isDeepStrictEqual } from "node:util";
import type { ExtensionAPI, ExtensionContext } from "../../extensions/author.ts";
import { atMost } from "../../util/at-most.ts";
import { InputValues } from "./input-values.ts";
import { fingerprintOf } from "./mcp-files.ts";
import type { McpParts, ServerSubject } from "./mcp-parts.ts";
import { McpServer } from "./mcp-server.ts";
import { ServerOffers } from "./offers/server-offers.ts";
import { withRegistered } from "./registered-servers.ts";
import { readServerEntries, type ServerEntries, type ServerEntry } from "./server-config.ts";
import { showServers, signInTo } from "./server-menu.ts";
import { serverSubject } from "./server-subject.ts";
import type { ServerSurroundings } from "./server-surroundings.ts";
import { ToolNames } from "./tool-names.ts";

/** Shorter waits aren't reported. */
const TOLD_AFTER_MS = 300;

interface McpServersOptions {
  api: ExtensionAPI;
  parts: McpParts;
  /** The newest context that a handler received. */
  context(): ExtensionContext;
  /** Names of the servers' earlier tools. */
  ownNames: Set<string>;
}

/** All servers in the files. */
export class McpServers {
  readonly #parts: McpParts;
  readonly #api: ExtensionAPI;
  readonly #surroundings: ServerSurroundings;
  /** Resources and prompts of the servers. */
  readonly offers: ServerOffers;
  /** The reports and warnings so far, so that reading a file again doesn't repeat them. */
  readonly #told = new Set<string>();
  /** The content of the files. */
  #read: Pick<ServerEntries, "entries" | "hidden"> = { entries: [], hidden: [] };
  #servers: readonly McpServer[] = [];
  #disabled: readonly ServerEntry[] = [];
  #fingerprint = "";
  #updated: Promise<void> = Promise.resolve();

  constructor({ api, parts, context, ownNames }: McpServersOptions) {
    const ui = () => context().ui;
    this.#parts = parts;
    this.#api = api;
    parts.consents.onChanged("mcp", () => this.#followConsents());
    const names = new ToolNames(ownNames);
    this.offers = new ServerOffers({ api, names, servers: () => this.#servers });
    this.#surroundings = {
      ...parts,
      api,
      ui,
      context,
      names,
      inputs: new InputValues({
        ui,
        ownerOf: (entry) => (entry.file.scope === "project" ? this.#subject(entry).hash : entry.file.path),
      }),
      onOffersChanged: () => this.offers.changed(),
      onResourceChanged: (server, uri) => this.offers.noteChange(server, uri),
    };
  }

  /** Reads the files if they have changed: unchanged servers continue, others end, and new ones are ready to start. */
  update(): Promise<void> {
    const updated = this.#updated.then(() => this.#update());
    this.#updated = updated.catch(() => undefined);
    return updated;
  }

  /**
   * Starts all servers that may run and haven't been started, at once. Resolves when they run or have failed, or when
   * the time is up.
   * @param onWait called with the names of servers that aren't ready yet.
   */
  async start(onWait?: (names: readonly string[]) => void): Promise<void> {
    const allowed = this.#servers.filter(({ entry }) => this.#mayRun(entry));
    const names = new Set(allowed.map(({ entry }) => entry.name));
    const started = allowed.map((server) => server.start().then(() => names.delete(server.entry.name)));
    const timer = setTimeout(() => onWait?.([...names]), TOLD_AFTER_MS);
    await atMost(Promise.all(started), this.#parts.waitMs);
    clearTimeout(timer);
  }

  /** True if a text may mention a resource of one of the servers: it has the server's name after an `@`. */
  isMentionedIn(text: string): boolean {
    return this.#servers.some(({ name }) => text.includes(`@${name}:`) || text.includes(`@${quotedStart(name)}:`));
  }

  /** Waits until servers have started that somebody else starts. @param onWait as in `start`. */
  async awaitStart(started: Promise<void>, onWait: (names: readonly string[]) => void): Promise<void> {
    const timer = setTimeout(() => {
      const slow = this.#servers.filter(({ state }) => state.kind === "starting");
      if (slow.length > 0) onWait(slow.map(({ entry }) => entry.name));
    }, TOLD_AFTER_MS);
    await started;
    clearTimeout(timer);
  }

  /** Ends what belongs to the current session; the next one uses the same servers. */
  sessionEnded(): void {
    for (const server of this.#servers) server.sessionEnded();
    this.offers.sessionEnded();
  }

  /** Removes all tools. Resolves when everything that the servers started has ended. */
  async stop(): Promise<void> {
    const ending = this.#servers;
    this.#servers = [];
    this.#read = { entries: [], hidden: [] }; // a later consent starts none of them
    await Promise.all(ending.map((server) => server.end()));
  }

  /** Returns the instructions of servers for the system prompt; "" if there are none. */
  instructions(): string {
    return this.#servers
      .flatMap(({ entry, instructions }) =>
        instructions === undefined
          ? []
          : [`\n\nInstructions of the MCP server "${entry.name}" for its tools:\n${instructions}`],
      )
      .join("");
  }

  /** Shows the servers, and does with one of them what the user selects. @param args `sign-in <server>` to sign in to one at once. */
  async show({ ui }: ExtensionContext, args: string): Promise<void> {
    const listed = {
      servers: this.#servers,
      disabled: this.#disabled,
      mayRun: (entry: ServerEntry) => this.#mayRun(entry),
      allTools: () => this.#api.getAllTools(),
    };
    const name = /^sign-in (.+)$/.exec(args.trim())?.[1];
    await (name === undefined ? showServers(ui, listed) : signInTo(name, ui, listed));
  }

  async #update(): Promise<void> {
    const files = this.#parts.files();
    const registered = this.#api.getMcpServers();
    const fingerprint = `${fingerprintOf(files)}\n${JSON.stringify(registered)}`;
    if (fingerprint !== this.#fingerprint) {
      this.#fingerprint = fingerprint;
      const { problems, ...read } = withRegistered(readServerEntries(files), registered);
      this.#tellNews(problems, this.#parts.report);
      this.#read = read;
    }
    await this.#choose();
  }

  /** Creates missing servers that apply now, and ends those that no longer apply. */
  async #choose(): Promise<void> {
    const entries = this.#read.entries.map((entry) => this.#inForce(entry));
    const hidden = this.#read.hidden.filter((entry) => !entries.includes(entry));
    this.#tellNews(hidden.map(hiddenLine), this.#parts.warn);
    const before = this.#servers;
    this.#surroundings.names.addServers(entries.map(({ name }) => name));
    this.#disabled = entries.filter(({ isDisabled }) => isDisabled);
    this.#servers = entries
      .filter(({ isDisabled }) => !isDisabled)
      .map((entry) => before.find((server) => isDeepStrictEqual(server.entry, entry)) ?? this.#create(entry));
    const ending = before.filter((server) => !this.#servers.includes(server));
    await atMost(Promise.all(ending.map((server) => server.end())), this.#parts.waitMs);
  }

  /** Returns the entry, or, if the user has declined it, the user's own entry of that name. */
  #inForce(entry: ServerEntry): ServerEntry {
    const own = this.#read.hidden.find(({ name, file }) => name === entry.name && file.scope === "user");
    if (own === undefined || entry.isDisabled || this.#mayRun(entry)) return entry;
    return this.#parts.consents.isDeclined(this.#subject(entry)) ? own : entry;
  }

  /** The user's own servers need no consent. Neither do those of extensions, whose code already runs. */
  #mayRun(entry: ServerEntry): boolean {
    return entry.file.scope !== "project" || this.#parts.consents.mayRun(this.#subject(entry));
  }

  #subject(entry: ServerEntry): ServerSubject {
    return serverSubject(entry, this.#parts);
  }

  /** Starts the servers that the user has allowed, and ends those that the user no longer allows. */
  async #followConsents(): Promise<void> {
    await this.#choose();
    const declined = this.#servers.filter(({ entry }) => !this.#mayRun(entry));
    await Promise.all([this.start(), ...declined.map((server) => server.end())]);
  }

  #create(entry: ServerEntry): McpServer {
    return new McpServer(entry, this.#surroundings);
  }

  #tellNews(lines: readonly string[], tell: (line: string) => void): void {
    for (const line of lines.filter((one) => !this.#told.has(one))) {
      this.#told.add(line);
      tell(line);
    }
  }
}

/** Returns the beginning of a mention in quotes, as hosts write names with spaces. */
function quotedStart(name: string): string {
  return `"${name.replace(/["\\]/g, "\\$&")}`;
}

function hiddenLine({ name, file }: ServerEntry): string {
  if (file.scope === "extension")
    return `${file.path}: its server "${name}" is ignored because another one has the same name.`;
  return `${file.path}: server "${name}" is ignored because an earlier file has one with the same name.`;
}
