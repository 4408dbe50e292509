import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import { unlessAborted } from "../util/unless-aborted.ts";
import type { Provider, ToolSpec } from "./provider.ts";

/** The api of models that stand for others; the name is pi's. */
const VIRTUAL_MODEL_API = "pi-virtual";

/** True for a model that only chooses another one for each request. */
export function isVirtual({ api }: Pick<Model, "api">): boolean {
  return api === VIRTUAL_MODEL_API;
}

/** Why a model is chosen: the user wrote, the run goes on, a request failed, or it is no request of a run. */
export type RouteReason = "user" | "continuation" | "retry" | "direct";

/** A request for which a virtual model chooses another model. */
export interface RoutedRequest {
  model: Model;
  thinkingLevel: ThinkingLevel;
  reason: RouteReason;
  content: { systemPrompt: string; messages: readonly AgentMessage[]; tools: readonly ToolSpec[] };
  /** The response that is asked for again. */
  failed?: AssistantMessage | undefined;
  /** What the router keeps about this conversation. */
  state?: unknown;
  signal: AbortSignal;
}

/** A model with the level to ask it with, if that is known. */
interface LeveledModel {
  model: Model;
  thinkingLevel?: ThinkingLevel | undefined;
}

/** A request as a router gets it. */
export interface RouterRequest extends Omit<RoutedRequest, "failed"> {
  /** The model of the latest successful response. */
  previous?: LeveledModel | undefined;
  failed?: (LeveledModel & { message: AssistantMessage }) | undefined;
}

/** The choice of a router. */
export interface Route {
  model: Pick<Model, "provider" | "id">;
  thinkingLevel: ThinkingLevel;
  state?: unknown;
}

/** Chooses the model for one request. */
export type Router = (request: RouterRequest) => Promise<Route>;

/** What is asked instead of a virtual model. */
export interface Routed {
  model: Model;
  thinkingLevel: ThinkingLevel;
  state?: unknown;
}

/** The description of a virtual model. */
export interface VirtualModelFacts {
  provider: string;
  id: string;
  name: string;
  thinkingLevels: readonly ThinkingLevel[];
  contextWindow: number;
  maxTokens: number;
  input: Model["input"];
}

/** The other facts that routing needs. */
interface RoutingTable {
  find(provider: string, id: string): Model | undefined;
  hasCredentials(provider: string): boolean;
  clampLevel(model: Model, level: ThinkingLevel): ThinkingLevel;
}

const LEVELS: readonly ThinkingLevel[] = ["off", "minimal", "low", "medium", "high", "xhigh", "max"];

/** Stands in for the provider of models that are never asked themselves. */
export const UNROUTED: Provider = {
  api: VIRTUAL_MODEL_API,
  needsKey: false,
  stream({ model }) {
    throw new Error(`Virtual model ${model.provider}/${model.id} must be routed before streaming`);
  },
};

/** The virtual models. */
export class VirtualModels {
  readonly #known = new Map<string, { model: Model; router: Router }>();

  /** Adds a model, or replaces the virtual model of the same name. */
  set({ thinkingLevels, ...facts }: VirtualModelFacts, router: Router): void {
    const levels = LEVELS.map((level) => [level, thinkingLevels.includes(level) ? level : null]);
    const model: Model = {
      ...facts,
      api: VIRTUAL_MODEL_API,
      baseUrl: "",
      reasoning: thinkingLevels.some((level) => level !== "off"),
      thinkingLevelMap: Object.fromEntries(levels),
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    };
    this.#known.set(nameOf(model), { model, router });
  }

  /** Removes a model, if it is still the one of this router. */
  delete(model: Pick<Model, "provider" | "id">, router?: Router): void {
    const name = nameOf(model);
    if (router === undefined || this.#known.get(name)?.router === router) this.#known.delete(name);
  }

  /** True if there are virtual models of this provider. */
  has(provider: string): boolean {
    return [...this.#known.values()].some(({ model }) => model.provider === provider);
  }

  /** Returns these models and then the virtual ones, which hide others of the same name. */
  apply(models: readonly Model[]): readonly Model[] {
    if (this.#known.size === 0) return models;
    const others = models.filter((model) => !this.#known.has(nameOf(model)));
    return [...others, ...[...this.#known.values()].map(({ model }) => model)];
  }

  /**
   * Returns the model to ask; any other than a virtual one stays as it is.
   * @throws Error if the router fails, or names a model that can't be asked.
   */
  async route(request: RoutedRequest, table: RoutingTable): Promise<Routed> {
    const { model, thinkingLevel, failed, content, signal } = request;
    if (!isVirtual(model)) return { model, thinkingLevel };
    const name = `Virtual model ${nameOf(model)}`;
    const router = this.#known.get(nameOf(model))?.router;
    if (router === undefined) throw new Error(`${name} is not registered.`);
    const latest = latestResponse(content.messages);
    const before = latest && findPhysical(table, latest.provider, latest.model);
    const refused = failed && findPhysical(table, failed.provider, failed.model);
    const choice = router({
      ...request,
      previous: before && { model: before, thinkingLevel: latest?.thinkingLevel },
      failed: failed && refused && { model: refused, thinkingLevel: failed.thinkingLevel, message: failed },
    });
    const route = await unlessAborted(choice, signal, 0);
    signal.throwIfAborted();
    if (route === undefined) throw new Error(`${name} has chosen no model.`);
    const target = findPhysical(table, route.model.provider, route.model.id);
    const routed = `${name} routed to ${nameOf(route.model)}`;
    if (target === undefined) throw new Error(`${routed}, which is not a physical model.`);
    if (!table.hasCredentials(target.provider)) throw new Error(`${routed}, which has no credentials.`);
    return { model: target, thinkingLevel: table.clampLevel(target, route.thinkingLevel), state: route.state };
  }
}

/** Returns the model of the latest response, which is never a virtual one, if there is one and it still exists. */
export function lastPhysical(messages: readonly AgentMessage[], table: Pick<RoutingTable, "find">): Model | undefined {
  const latest = latestResponse(messages);
  return latest && findPhysical(table, latest.provider, latest.model);
}

function latestResponse(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  const isResponse = (message: AgentMessage): message is AssistantMessage =>
    message.role === "assistant" && message.stopReason !== "error" && message.stopReason !== "aborted";
  return messages.findLast(isResponse);
}

function findPhysical({ find }: Pick<RoutingTable, "find">, provider: string, id: string): Model | undefined {
  const model = find(provider, id);
  return model === undefined || isVirtual(model) ? undefined : model;
}

function nameOf({ provider, id }: Pick<Model, "provider" | "id">): string {
  return `${provider}/${id}`;
}
