import type { Settings } from "../../config/settings.ts";
import type { AgentMessage, CustomMessage } from "../../protocol/messages.ts";
import type { AnyTool, ToolOutput } from "../../tools/tool.ts";
import { TOOL_SEARCH } from "../../tools/tool-names.ts";
import { CHARACTERS_PER_TOKEN } from "../../util/token-estimate.ts";
import type { Conversation } from "../conversation.ts";
import { noteUnlessKnown } from "../session-facts.ts";
import type { ToolSet } from "../tool-set.ts";
import { type DeferralLimits, deferredSources, sourceOf } from "./deferral.ts";
import { LoadedToolsReader } from "./loaded-tools.ts";

/** The type of notes that tell the model which tools it can search for. */
const NOTE_TYPE = "tool-search";

interface ToolShelfOptions {
  tools: Pick<ToolSet, "offered" | "all" | "isChosen" | "isExcluded">;
  settings: Settings["toolSearch"];
  /** In tokens; undefined without a model. */
  contextWindow(): number | undefined;
  conversation(): Conversation;
}

/** The tools in the order of their declaration. */
interface Shelf {
  told: AnyTool[];
  /** The tools that the model has to search for, including those that it has found. */
  deferred: ReadonlyMap<string, AnyTool>;
  /** Their sources. */
  sources: ReadonlySet<string>;
}

/**
 * Decides which tools the model is told of. If there are many, it finds the others with `tool_search`, and what it has found stays for the
 * session. What it was told before keeps its place, and what is new comes last, so that requests begin with the same bytes.
 */
export class ToolShelf {
  readonly #options: ToolShelfOptions;
  readonly #loaded = new LoadedToolsReader();
  /** Names of the tools in requests so far, in their order. */
  #told: readonly string[] = [];
  #sources: ReadonlySet<string> = new Set();
  #contextWindow: number | undefined;
  /** `tool_search` as it was declared to the model. */
  #search: { tool: AnyTool; summary: string } | undefined;

  constructor(options: ToolShelfOptions) {
    this.#options = options;
  }

  /** Returns the tools for a request that is about to be sent. */
  declare(): Map<string, AnyTool> {
    const { told, deferred, sources } = this.#arrange();
    const names = told.map(({ name }) => name);
    const isTold = new Set(names);
    this.#told = [...names, ...this.#told.filter((name) => !isTold.has(name))];
    this.#sources = sources;
    this.#contextWindow = this.#options.contextWindow();
    if (deferred.size > 0) this.#search ??= this.#describeSearch(deferred);
    return new Map(told.map((tool) => [tool.name, tool]));
  }

  /** Returns all tools that the model can use, and whether it would have to search for them. */
  list(): { tool: AnyTool; isDeferred: boolean }[] {
    const { told, deferred } = this.#arrange();
    const names = new Set(told.map(({ name }) => name));
    const waiting = [...deferred.values()].filter(({ name }) => !names.has(name));
    return [
      ...told.map((tool) => ({ tool, isDeferred: false })),
      ...waiting.map((tool) => ({ tool, isDeferred: true })),
    ];
  }

  /** Returns the names of the tools that the model would have to search for. */
  waiting(): ReadonlySet<string> {
    return new Set(this.list().flatMap(({ tool, isDeferred }) => (isDeferred ? [tool.name] : [])));
  }

  /** Returns a tool that the model calls without being told of it; "gone" for one that there was in this conversation. */
  take(name: string): AnyTool | "gone" | undefined {
    const tool = this.#arrange().deferred.get(name);
    if (tool !== undefined) return tool;
    return this.#loaded.of(this.#options.conversation()).existed.has(name) ? "gone" : undefined;
  }

  /** Finds tools for the model. The next request declares them. */
  async find(queries: readonly string[]): Promise<ToolOutput> {
    const { findTools } = await import("./find-tools.ts");
    const { told, deferred } = this.#arrange();
    const names = new Set(told.map(({ name }) => name));
    const isLoaded = (name: string) => names.has(name);
    return findTools(queries, { tools: [...deferred.values()], isLoaded, summary: summaryOf(deferred.values()) });
  }

  /** Returns a note if the tools that the model can search for have changed. */
  notes(messages: readonly AgentMessage[]): CustomMessage[] {
    if (this.#search === undefined) return [];
    const { deferred } = this.#arrange();
    const text = summaryOf(deferred.values());
    return noteUnlessKnown(messages, { customType: NOTE_TYPE, known: this.#search.summary, text });
  }

  /** Resets the state, because another conversation was opened. */
  clear(): void {
    this.#told = [];
    this.#sources = new Set();
    this.#search = undefined;
  }

  #arrange(): Shelf {
    const offered = this.#options.tools.offered();
    const sources = this.#sourcesToDefer(offered);
    const isDeferred = (tool: AnyTool) => this.#isFree(tool) && isOf(tool, sources);
    const deferred = new Map([...offered].filter(([, tool]) => sources !== undefined && isDeferred(tool)));
    const told = [...offered.values()].filter(({ name }) => !deferred.has(name));
    if (deferred.size > 0) {
      const { names } = this.#loaded.of(this.#options.conversation());
      const found = [...names].flatMap((name) => deferred.get(name) ?? []);
      const search = this.#search ?? this.#describeSearch(deferred);
      told.push(...(search === undefined ? [] : [search.tool]), ...found);
    }
    return { told: inOrder(told, this.#told), deferred, sources: sources ?? new Set() };
  }

  /** Returns the sources whose tools the model has to search for; undefined if it can't search. */
  #sourcesToDefer(offered: ReadonlyMap<string, AnyTool>): Set<string> | undefined {
    const { tools, settings } = this.#options;
    const isFree = (tool: AnyTool) => this.#isFree(tool);
    if (settings.mode === "off" || ![...offered.values()].some(isFree)) return undefined;
    if (offered.has(TOOL_SEARCH) || tools.isExcluded(TOOL_SEARCH) || this.#searchTool() === undefined) return undefined;
    const contextWindow = this.#options.contextWindow();
    const isSame = contextWindow === this.#contextWindow;
    const before = { deferred: isSame ? this.#sources : new Set<string>(), told: new Set(this.#told) };
    return deferredSources(offered.values(), isFree, this.#limits(contextWindow), before);
  }

  #limits(contextWindow = Number.POSITIVE_INFINITY): DeferralLimits {
    const { mode, maxTools, maxPercent } = this.#options.settings;
    if (mode === "on") return { maxTools: 0, maxCharacters: 0 };
    return { maxTools, maxCharacters: (contextWindow * CHARACTERS_PER_TOKEN * maxPercent) / 100 };
  }

  #isFree(tool: AnyTool): boolean {
    return (tool.isDeferred === true || sourceOf(tool) !== undefined) && !this.#options.tools.isChosen(tool.name);
  }

  #searchTool(): AnyTool | undefined {
    return this.#options.tools.all().find(({ name, origin }) => name === TOOL_SEARCH && origin === "builtin");
  }

  #describeSearch(deferred: ReadonlyMap<string, AnyTool>): { tool: AnyTool; summary: string } | undefined {
    const tool = this.#searchTool();
    if (tool === undefined) return undefined;
    const summary = summaryOf(deferred.values());
    const isOffered = () => this.#arrange().deferred.size > 0;
    return { tool: { ...tool, description: `${tool.description} ${summary}`, isOffered }, summary };
  }
}

function isOf(tool: AnyTool, sources: ReadonlySet<string> | undefined): boolean {
  return tool.isDeferred === true || sources?.has(sourceOf(tool) ?? "") === true;
}

/** Says what can be found: the sources and how many tools each has. */
function summaryOf(tools: Iterable<AnyTool>): string {
  const counts = new Map<string, number>();
  for (const tool of tools) {
    const source = sourceOf(tool) ?? "other";
    counts.set(source, (counts.get(source) ?? 0) + 1);
  }
  const listed = [...counts].map(([source, count]) => `${source} (${count})`).sort();
  return listed.length === 0 ? "There are no tools to find." : `It finds tools of: ${listed.join(", ")}.`;
}

/** Sorts tools by their place in a list of names; those that are not in it keep their order, at the end. */
function inOrder(tools: readonly AnyTool[], names: readonly string[]): AnyTool[] {
  const places = new Map(names.map((name, place) => [name, place]));
  const placeOf = ({ name }: AnyTool) => places.get(name) ?? names.length;
  return tools.toSorted((one, other) => placeOf(one) - placeOf(other));
}
