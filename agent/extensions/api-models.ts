import type { AssistantMessage } from "../protocol/messages.ts";
import type { Model } from "../protocol/model.ts";
import type { AssistantMessageEventStream } from "./event-stream.ts";

/** The key and headers of a request, or the reason why there are none. */
export type RequestAuth =
  | { ok: true; apiKey?: string | undefined; headers?: Record<string, string> | undefined }
  | { ok: false; error: string };

/** The context of a call: messages with the roles user, assistant, and toolResult. */
export interface CallContext {
  systemPrompt?: string;
  messages: readonly object[];
  tools?: readonly { name: string; description: string; parameters: object }[];
}

/** Options of a call. Other fields are ignored. */
export interface CallOptions {
  signal?: AbortSignal;
  apiKey?: string;
  /** Null leaves out a header that would be sent otherwise. */
  headers?: Record<string, string | null>;
  maxTokens?: number;
  /** A thinking level; without it the model thinks as little as it can. */
  reasoning?: string;
  /** Receives the body of the request; a returned body is sent instead. */
  onPayload?: (payload: object, model: Model) => unknown;
  /** Receives each event of the answer as the service sent it. */
  onProviderStreamEvent?: (data: unknown, model: Model) => unknown;
  onResponse?: (response: { status: number; headers: Readonly<Record<string, string>> }, model: Model) => unknown;
}

/** The credentials of requests to a provider. */
export interface ProviderAuth {
  /** The key is absent when none is needed. */
  auth: { apiKey?: string };
}

/** A provider with its models, to look at and to ask. */
export interface ProviderView {
  readonly id: string;
  readonly name: string;
  readonly baseUrl?: string;
  readonly auth: { readonly apiKey: { readonly name: string; resolve(): Promise<ProviderAuth | undefined> } };
  getModels(): Model[];
  stream(model: Model, context: CallContext, options?: CallOptions): AssistantMessageEventStream;
  streamSimple(model: Model, context: CallContext, options?: CallOptions): AssistantMessageEventStream;
}

/** The result of a request that can't be made. */
export interface UnansweredRequest {
  api: string | undefined;
  provider: string | undefined;
  model: string | undefined;
  stopReason: "error";
  errorMessage: string;
  timestamp: number;
}

/** The models there are, and ways to ask them. */
export interface ModelRegistryView {
  find(provider: string, id: string): Model | undefined;
  /** As `find` for the type `chat`. There are no others, such as `classifier` and `image`. */
  findOfType(type: string, provider: string, id: string): Model | undefined;
  getModelOfType(type: string, provider: string, id: string): Model | undefined;
  getModelsOfType(type: string, provider?: string): Model[];
  getAvailableOfType(type: string, provider?: string): Promise<Model[]>;
  /** Always a result with the stop reason `error`: no classifiers can be asked. */
  classify(model: Partial<Model>): Promise<UnansweredRequest & { answers: object }>;
  /** Always a result with the stop reason `error`: no images can be made. */
  generateImages(model: Partial<Model>): Promise<UnansweredRequest & { output: unknown[] }>;
  getAll(): Model[];
  /** Returns the models whose provider has credentials. */
  getAvailable(): Model[];
  /** Sends one request. Never rejects: a failure is a response with the stop reason `error` or `aborted`. */
  complete(model: Model, context: CallContext, options?: CallOptions): Promise<AssistantMessage>;
  /** As `complete`, with every step. */
  stream(model: Model, context: CallContext, options?: CallOptions): AssistantMessageEventStream;
  streamSimple(model: Model, context: CallContext, options?: CallOptions): AssistantMessageEventStream;
  hasConfiguredAuth(model: Pick<Model, "provider">): boolean;
  /** @returns undefined when there is none. */
  getApiKey(model: Pick<Model, "provider">): Promise<string | undefined>;
  getApiKeyForProvider(provider: string): Promise<string | undefined>;
  getApiKeyAndHeaders(model: Model): Promise<RequestAuth>;
  getProviderAuthStatus(provider: string): { configured: boolean };
  getProviderDisplayName(provider: string): string;
  /** @returns undefined if no provider has this name. */
  getProvider(provider: string): ProviderView | undefined;
  /** @returns undefined without credentials. @throws Error that says why a key cannot be had. */
  getProviderAuth(provider: string): Promise<ProviderAuth | undefined>;
  /** Always false: there is no login here. */
  isUsingOAuth(model: Pick<Model, "provider">): boolean;
  /** Has providers that can list their models list them again. */
  refresh(options?: { signal?: AbortSignal }): Promise<{ aborted: boolean; errors: ReadonlyMap<string, Error> }>;
  /** Always undefined: errors in models.json are reported on stderr. */
  getError(): undefined;
  registerProvider(...given: unknown[]): void;
  unregisterProvider(name: string): void;
  /** As that of the API. */
  registerVirtualModel(model: object): void;
  unregisterVirtualModel(provider: string, id: string): void;
  /** Names of the providers that extensions brought or changed. */
  getRegisteredProviderIds(): string[];
  /** The parts that were registered under this name. */
  getRegisteredProviderConfig(name: string): Record<string, unknown> | undefined;
  /** The object that was registered as a provider of this name. */
  getRegisteredNativeProvider(name: string): object | undefined;
}
