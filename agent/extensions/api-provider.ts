import type { Model } from "../protocol/model.ts";
import type { CallContext, CallOptions } from "./api-models.ts";

/** A model as an author writes it; what is missing has a default, `baseUrl` and `api` that of the provider. */
export type ModelOfProvider = Partial<Omit<Model, "provider" | "cost">> & { id: string; cost?: Partial<Model["cost"]> };

/** An event of an author's own stream: `start`, `text_start`, and so on; the last one is `done` or `error`. */
export type AnswerStream = AsyncIterable<{ type: string }>;

/** Answers one request. If it throws, the response fails. */
export type StreamSimple = (
  model: Model,
  context: CallContext,
  options: CallOptions,
) => AnswerStream | Promise<AnswerStream>;

/** A provider by its parts. */
export interface ProviderDefinition {
  baseUrl?: string;
  /** The key, `$NAME` of a variable, or `!command` that prints it. */
  apiKey?: string;
  /** The wire of models that name none; with `streamSimple` a name of one's own. */
  api?: string;
  headers?: Record<string, string>;
  /** Sends the key in the header `Authorization` as well. */
  authHeader?: boolean;
  /** They take the place of the provider's models; without them those are changed. */
  models?: readonly ModelOfProvider[];
  /** Answers the models that have this provider's api. */
  streamSimple?: StreamSimple;
  /** Lists the models; asked at once, and by `modelRegistry.refresh()`. */
  refreshModels?(context: object): Promise<readonly ModelOfProvider[]>;
  /** Kept without effect: logging in needs a terminal. */
  oauth?: object;
}

/** A provider that does everything itself. */
export interface ProviderObject {
  id: string;
  baseUrl?: string;
  headers?: Record<string, string>;
  auth: object;
  getModels(): readonly ModelOfProvider[];
  streamSimple: StreamSimple;
  refreshModels?(context: object): Promise<void>;
}
