import { errorMessage } from "../../protocol/errors.ts";
import type { Model } from "../../protocol/model.ts";
import type { ModelRegistryView, ProviderView, RequestAuth, UnansweredRequest } from "../api-models.ts";
import { AssistantMessageEventStream } from "../event-stream.ts";
import type { Extension } from "../registrations.ts";
import type { ProviderSlot } from "./provider-slot.ts";
import type { VirtualModelSlot } from "./virtual-model-slot.ts";

const NEVER = new AbortController().signal;

/** Creates an extension's view of the models. */
export function createModelRegistryView(
  providers: ProviderSlot,
  virtualModels: VirtualModelSlot,
  extension: Extension,
): ModelRegistryView {
  const models = () => providers.models();
  const findOfType: ModelRegistryView["findOfType"] = (type, provider, id) =>
    type === "chat" ? models().find(provider, id) : undefined;
  const key = async (provider: string) => {
    try {
      return await models().fetchKey(provider, NEVER);
    } catch {
      return undefined; // whoever wants the reason asks for key and headers
    }
  };
  const stream: ModelRegistryView["stream"] = (model, context, options) => {
    const answer = new AssistantMessageEventStream();
    void import("./model-calls.ts").then(({ answerCall }) => answerCall({ model, context, options }, models, answer));
    return answer;
  };
  const auth: ModelRegistryView["getProviderAuth"] = async (provider) => {
    if (!models().hasCredentials(provider)) return undefined;
    const apiKey = await models().fetchKey(provider, NEVER);
    return { auth: apiKey === undefined ? {} : { apiKey } };
  };
  const provider = (id: string): ProviderView | undefined => {
    const all = () =>
      models()
        .all()
        .filter((model) => model.provider === id);
    const [first] = all();
    if (first === undefined && providers.given(id) === undefined) return undefined;
    return {
      id,
      name: id,
      ...(first && { baseUrl: first.baseUrl }),
      auth: { apiKey: { name: id, resolve: () => auth(id) } },
      getModels: all,
      stream,
      streamSimple: stream,
    };
  };
  return {
    find: (provider, id) => models().find(provider, id),
    findOfType,
    getModelOfType: findOfType,
    getModelsOfType: (type, provider) => ofType(type, models().all(), provider),
    getAvailableOfType: async (type, provider) => ofType(type, models().available(), provider),
    classify: async (model) => ({ ...unanswered(model, "classification"), answers: {} }),
    generateImages: async (model) => ({ ...unanswered(model, "image generation"), output: [] }),
    getAll: () => [...models().all()],
    getAvailable: () => models().available(),
    async complete(model, context, options) {
      const { answerCall } = await import("./model-calls.ts");
      return answerCall({ model, context, options }, models, new AssistantMessageEventStream());
    },
    stream,
    streamSimple: stream,
    hasConfiguredAuth: ({ provider }) => models().hasCredentials(provider),
    getApiKey: ({ provider }) => key(provider),
    getApiKeyForProvider: key,
    async getApiKeyAndHeaders({ provider, headers }): Promise<RequestAuth> {
      try {
        const apiKey = await models().fetchKey(provider, NEVER);
        if (apiKey === undefined && !models().hasCredentials(provider)) throw new Error(`No API key for ${provider}.`);
        return { ok: true, apiKey, headers };
      } catch (error) {
        return { ok: false, error: errorMessage(error) };
      }
    },
    getProviderAuthStatus: (provider) => ({ configured: models().hasCredentials(provider) }),
    getProviderDisplayName: (provider) => provider,
    getProvider: provider,
    getProviderAuth: auth,
    isUsingOAuth: () => false,
    async refresh({ signal } = {}) {
      const errors = await providers.refresh(signal);
      return { aborted: signal?.aborted === true, errors };
    },
    getError: () => undefined,
    registerProvider: (...given) => providers.register(extension, given),
    unregisterProvider: (name) => providers.unregister(extension, name),
    registerVirtualModel: (model) => virtualModels.register(extension, model),
    unregisterVirtualModel: (provider, id) => virtualModels.unregister(extension, provider, id),
    getRegisteredProviderIds: () => providers.names(),
    getRegisteredProviderConfig(name) {
      const registered = providers.given(name);
      return registered === undefined || registered.native !== undefined ? undefined : { ...registered.given };
    },
    getRegisteredNativeProvider: (name) => providers.given(name)?.native,
  };
}

/** All models are for chats. */
function ofType(type: string, all: readonly Model[], provider: string | undefined): Model[] {
  return type === "chat" ? all.filter((model) => provider === undefined || model.provider === provider) : [];
}

function unanswered({ api, provider, id }: Partial<Model>, kind: string): UnansweredRequest {
  const errorMessage = `Provider ${provider} does not support ${kind}`;
  return { api, provider, model: id, stopReason: "error", errorMessage, timestamp: Date.now() };
}
