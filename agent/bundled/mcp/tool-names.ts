/** The longest name that model APIs accept. */
const MAX_NAME_LENGTH = 64;
const MAX_SERVER_LENGTH = 28;

/** Gives the tools of servers their names for the model; a tool keeps its name for the life of the agent. */
export class ToolNames {
  readonly #servers = new Map<string, string>();
  readonly #tools = new Map<string, string>();

  readonly #ours: Set<string>;

  /** @param ours names of the servers' tools; kept when servers are loaded again. */
  constructor(ours: Set<string>) {
    this.#ours = ours;
  }

  /** Adds servers in the order in which they may choose a name; a known server keeps its name. */
  addServers(servers: readonly string[]): void {
    const taken = new Set(this.#servers.values());
    for (const server of servers.filter((one) => !this.#servers.has(one))) {
      const name = freeName(plain(server), MAX_SERVER_LENGTH, (candidate) => taken.has(candidate));
      taken.add(name);
      this.#servers.set(server, name);
    }
  }

  /**
   * `mcp__<server>__<tool>` in letters, digits, `_` and `-`, at most 64 of them; a duplicate name gets a number at its
   * end.
   */
  nameOf(server: string, tool: string): string {
    const key = JSON.stringify([server, tool]);
    const known = this.#tools.get(key);
    if (known !== undefined) return known;
    const taken = new Set(this.#tools.values());
    const wish = `mcp__${this.#servers.get(server) ?? plain(server)}__${plain(tool)}`;
    const name = freeName(wish, MAX_NAME_LENGTH, (candidate) => taken.has(candidate));
    this.#tools.set(key, name);
    return name;
  }

  /** True if the tool with this name belongs to a server. */
  isOurs(name: string): boolean {
    return this.#ours.has(name);
  }

  /** Marks the tool with this name as one of a server. */
  claim(name: string): void {
    this.#ours.add(name);
  }
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]/g, "_") || "_";
}

function freeName(wish: string, maxLength: number, isTaken: (name: string) => boolean): string {
  let name = wish.slice(0, maxLength);
  for (let number = 2; isTaken(name); number++) {
    const ending = `_${number}`;
    name = `${wish.slice(0, maxLength - ending.length)}${ending}`;
  }
  return name;
}
