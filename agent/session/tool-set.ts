import { AgentError } from "../protocol/errors.ts";
import type { AnyTool } from "../tools/tool.ts";
import { TOOL_SEARCH } from "../tools/tool-names.ts";
import { PreparedLoadout } from "./prepared-loadout.ts";

/** Which tools are active, from the command line and the settings. */
export interface ToolSelection {
  /** Names and globs, or only `+name` and `-name` on top of the defaults; undefined means the defaults. */
  patterns: readonly string[] | undefined;
  exclude: readonly string[];
  defaults: readonly string[];
}

/** A host tool, and whether it starts hidden. */
export interface HostToolEntry {
  tool: AnyTool;
  isHidden: boolean;
  /** The name of an equivalent tool. */
  sameAs: string | undefined;
}

interface AddedTool {
  tool: AnyTool;
  /** True if the tool is active by default. */
  isActive: boolean;
}

/** Tools that the model is told of only later. They give way to a host tool of the same name, which was there first for the host. */
const LATE_TOOLS: ReadonlySet<string> = new Set(["recall", "ask_user", "bash_output", "bash_stop", TOOL_SEARCH]);

/** All tools, and the active ones among them. Host tools belong to the process, not to a session. */
export class ToolSet {
  readonly #own: Map<string, AnyTool>;
  readonly #selection: ToolSelection;
  readonly #exclude: (name: string) => boolean;
  /** The tools of extensions. A tool with the name of a built-in tool replaces it. */
  readonly #added = new Map<string, AddedTool>();
  /** The tools that each companion belongs to, by its name. */
  readonly #companions = new Map<string, string>();
  readonly #loadout = new PreparedLoadout();
  #hostTools: HostToolEntry[] = [];
  #active: Set<string>;

  constructor(own: readonly AnyTool[], selection: ToolSelection) {
    this.#own = new Map(own.map((tool) => [tool.name, tool]));
    this.#selection = selection;
    this.#exclude = matcher(selection.exclude);
    this.#active = this.#ownByDefault();
  }

  /** The active tools, in a stable order and without duplicates. */
  offered(): Map<string, AnyTool> {
    const tools = this.active();
    for (const { name, isOffered } of [...tools.values()]) if (isOffered?.() === false) tools.delete(name);
    const own = new Set([...tools.keys()].filter((name) => !this.isHostTool(name)).map(plainName));
    for (const { tool, sameAs } of this.#hostTools) {
      if (sameAs !== undefined && own.has(plainName(sameAs))) tools.delete(tool.name);
    }
    return tools;
  }

  /** The tools that are switched on, in a steady order. */
  active(): Map<string, AnyTool> {
    const isActive = ({ name, exposure }: AnyTool) => exposure !== "hidden" && this.#isActive(name);
    return new Map(this.all().flatMap((tool) => (isActive(tool) ? [[tool.name, tool]] : [])));
  }

  /** All tools, active or not, in a steady order. */
  all(): AnyTool[] {
    const added = [...this.#added].map(([name, { tool }]) => [name, tool] as const);
    return [...new Map([...this.#own, ...added]).values(), ...this.#hostTools.map(({ tool }) => tool)];
  }

  /** Returns tools as the model is told of them. */
  prepared(told: ReadonlyMap<string, AnyTool>): ReadonlyMap<string, AnyTool> {
    return this.#loadout.of(told, this);
  }

  /** Returns the active tools that other tools can call. */
  callable(): AnyTool[] {
    return [...this.active().values()].filter(({ exposure }) => exposure !== "model-only");
  }

  /** True if the host has a tool of that name, offered to the model or not. */
  isHostTool(name: string): boolean {
    return this.#hostTools.some(({ tool }) => tool.name === name);
  }

  /** True for a tool that the model must always have: it has a built-in name, the user named it, or it is off by default and was enabled. */
  isChosen(name: string): boolean {
    if (this.#own.has(name) || this.#companions.has(name)) return true;
    const { patterns = this.#selection.defaults } = this.#selection;
    if (patterns.some((pattern) => pattern.replace(/^\+/, "") === name)) return true;
    const added = this.#added.get(name);
    if (added !== undefined) return !added.isActive;
    return this.#hostTools.some(({ tool, isHidden }) => isHidden && tool.name === name);
  }

  /** True if the user excluded the name. */
  isExcluded(name: string): boolean {
    return this.#exclude(name);
  }

  /** Activates exactly these tools; ignores unknown and excluded names. */
  setActive(names: readonly string[]): void {
    this.#active = new Set(names.filter((name) => !this.#exclude(name)));
  }

  /** Activates the default tools. */
  reset(): void {
    this.#active = this.#ownByDefault();
    for (const { tool, isActive } of this.#added.values()) this.#activate(tool.name, isActive);
    for (const { tool, isHidden } of this.#hostTools)
      if (!isHidden && !this.#exclude(tool.name)) this.#active.add(tool.name);
  }

  /**
   * Adds a tool of an extension, or replaces the tool with its name. @param isActive true if the tool is active by
   * default. @throws AgentError invalid_request when a host tool has the name.
   */
  add(tool: AnyTool, isActive: boolean): void {
    const { name } = tool;
    if (this.#hostTools.some((entry) => entry.tool.name === name)) {
      throw new AgentError("invalid_request", `Tool "${name}" conflicts with a host tool`);
    }
    this.#added.set(name, { tool, isActive });
    this.#companions.delete(name);
    this.#activate(name, isActive);
  }

  /** Adds tools that belong to another one: each is active while that is, unless it is excluded. */
  addCompanions(tools: readonly AnyTool[], of: string): void {
    for (const tool of tools) {
      if (this.all().some(({ name }) => name === tool.name)) continue;
      this.#added.set(tool.name, { tool, isActive: false });
      this.#companions.set(tool.name, of);
    }
  }

  /** Removes a tool of an extension. Its name stays active or inactive. */
  remove(tool: AnyTool): void {
    if (this.#added.get(tool.name)?.tool === tool) this.#added.delete(tool.name);
  }

  /**
   * Replaces the set of host tools. A tool in both sets stays active or inactive. @throws AgentError invalid_request
   * when a name is already used; the set then doesn't change.
   */
  replaceHostTools(entries: readonly HostToolEntry[]): void {
    for (const { tool } of entries) {
      if (LATE_TOOLS.has(tool.name)) continue;
      if (!this.#own.has(tool.name) && !this.#added.has(tool.name)) continue;
      throw new AgentError("invalid_request", `RPC host tool "${tool.name}" conflicts with an existing tool`);
    }
    for (const { tool } of entries) if (LATE_TOOLS.has(tool.name)) this.#giveWay(tool.name);
    const before = new Set(this.#hostTools.map(({ tool }) => tool.name));
    const kept = new Set([...this.#active].filter((name) => !before.has(name)));
    for (const { tool, isHidden } of entries) {
      const isActive = before.has(tool.name) ? this.#active.has(tool.name) : !isHidden;
      if (isActive && !this.#exclude(tool.name)) kept.add(tool.name);
    }
    this.#hostTools = [...entries];
    this.#active = kept;
  }

  #giveWay(name: string): void {
    this.#own.delete(name);
    this.#added.delete(name);
    this.#companions.delete(name);
  }

  #isActive(name: string): boolean {
    const owner = this.#companions.get(name);
    return owner === undefined ? this.#active.has(name) : this.#active.has(owner) && !this.#exclude(name);
  }

  #ownByDefault(): Set<string> {
    const names = [...this.#own.keys()].filter(activeByDefault(this.#selection));
    return new Set(names.filter((name) => !this.#exclude(name)));
  }

  #activate(name: string, isActive: boolean): void {
    const isWanted = activeByDefault({ ...this.#selection, defaults: isActive ? [name] : [] });
    if (isWanted(name) && !this.#exclude(name)) this.#active.add(name);
  }
}

/** Returns the part of a name that hosts and the agent spell the same. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
}

/** Other names of built-in tools. */
const ALIASES: Record<string, string> = { glob: "find" };

function activeByDefault({ patterns, defaults }: ToolSelection): (name: string) => boolean {
  const isDefault = (name: string) => defaults.includes(name);
  if (patterns === undefined) return isDefault;
  const isSigned = patterns.length > 0 && patterns.every((pattern) => /^[+-]/.test(pattern));
  if (!isSigned) return matcher(patterns);
  const added = matcher(patterns.filter((pattern) => pattern.startsWith("+")).map((pattern) => pattern.slice(1)));
  const removed = matcher(patterns.filter((pattern) => pattern.startsWith("-")).map((pattern) => pattern.slice(1)));
  return (name) => (isDefault(name) || added(name)) && !removed(name);
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map((pattern) => {
    const name = ALIASES[pattern] ?? pattern;
    return new RegExp(`^${name.split("*").map(escapeRegExp).join(".*")}$`);
  });
  return (name) => expressions.some((expression) => expression.test(name));
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
