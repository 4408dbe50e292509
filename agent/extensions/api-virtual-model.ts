import type { AssistantMessage } from "../protocol/messages.ts";
import type { Model, ThinkingLevel } from "../protocol/model.ts";
import type { RouteReason } from "../providers/virtual-models.ts";
import type { ExtensionContext } from "./api-context.ts";

/** A request for which a virtual model chooses another model. */
export interface ModelRouteRequest<State = unknown> {
  /** The virtual model and its level, whose meaning is up to the router. */
  model: Model;
  thinkingLevel: ThinkingLevel;
  reason: RouteReason;
  /** The model of the latest successful response. */
  previous?: { model: Model; thinkingLevel?: ThinkingLevel };
  /** For `retry`: the model of the failed response, which is not in `messages`. Absent if the router itself failed. */
  failed?: { model: Model; thinkingLevel?: ThinkingLevel; message: AssistantMessage };
  /** What the router last returned on this branch. */
  state?: State;
  /** The conversation, with a leading system message. */
  messages: readonly { role: string }[];
  signal?: AbortSignal;
}

/** The model for one request. */
export interface ModelRoute<State = unknown> {
  model: Pick<Model, "provider" | "id">;
  /** Clamped to what the model supports. */
  thinkingLevel: ThinkingLevel;
  /** Kept on the branch of the session, unless it is `request.state` itself. */
  state?: State;
}

/** A virtual model as an author writes it. */
export interface VirtualModelDefinition<State = unknown> {
  /** May be a provider with models of its own. */
  provider: string;
  id: string;
  name: string;
  /** Default: only `off`. */
  thinkingLevels?: readonly ThinkingLevel[];
  /** Limits before the first response; 0, the default, if unknown. */
  contextWindow?: number;
  maxTokens?: number;
  /** Default: both. */
  input?: readonly ("text" | "image")[];
  /** Chooses the model for one request. What it throws is the error of the response. */
  route(request: ModelRouteRequest<State>, ctx: ExtensionContext): ModelRoute<State> | Promise<ModelRoute<State>>;
}
