import * as z from "zod";
import { type Model, ThinkingLevel } from "../../protocol/model.ts";
import { CATALOGUE } from "../../providers/catalogue.ts";
import { AssistantMessageEventStream, createAssistantMessageEventStream, EventStream } from "../event-stream.ts";
import { answerCall } from "../providers/model-calls.ts";
import { createOwnProvider } from "../providers/own-provider.ts";
import type { ProviderSlot } from "../providers/provider-slot.ts";
import { readModel } from "../providers/read-model.ts";
import {
  collapseSystemMessages,
  getCurrentSystemPrompt,
  getCurrentTools,
  normalizeContext,
} from "../providers/transcript.ts";
import { ExtensionFunction, readRegistration } from "../registrations.ts";

const ApiProvider = z.object({
  api: z.string().min(1),
  stream: ExtensionFunction.optional(),
  streamSimple: ExtensionFunction,
});

/** Protocols that have a separate function in pi's library. Unsupported ones return an error. */
const WIRES = {
  anthropicMessagesApi: "anthropic-messages",
  openAICompletionsApi: "openai-completions",
  openAIResponsesApi: "openai-responses",
  openAICodexResponsesApi: "openai-codex-responses",
  azureOpenAIResponsesApi: "azure-openai-responses",
  googleGenerativeAIApi: "google-generative-ai",
  googleVertexApi: "google-vertex",
  mistralConversationsApi: "mistral-conversations",
  bedrockConverseStreamApi: "bedrock-converse-stream",
};

/** Names of pi's model library that ask models, or bring some. */
export function modelCallModule(providers: ProviderSlot): Record<string, unknown> {
  const models = () => providers.models();
  const callsOver = (api?: string) => {
    const stream = (model: unknown, context: unknown, options: unknown) => {
      const answer = new AssistantMessageEventStream();
      void answerCall({ model, context, options, api }, models, answer);
      return answer;
    };
    const complete = (model: unknown, context: unknown, options: unknown) =>
      answerCall({ model, context, options, api }, models, new AssistantMessageEventStream());
    return { stream, streamSimple: stream, complete, completeSimple: complete };
  };
  const anthropic = callsOver("anthropic-messages");
  return {
    ...callsOver(),
    ...Object.fromEntries(Object.entries(WIRES).map(([name, api]) => [name, () => callsOver(api)])),
    streamAnthropic: anthropic.stream,
    streamSimpleAnthropic: anthropic.stream,
    registerApiProvider(given: unknown) {
      const { api, streamSimple } = readRegistration(ApiProvider, given, "Provider of an api");
      providers.addApi(createOwnProvider({ api, stream: streamSimple, describe: (model) => model }));
    },
    getModel: (provider: string, id: string) =>
      catalogue(providers).find((one) => one.provider === provider && one.id === id),
    getModels: (provider?: string) =>
      catalogue(providers).filter((one) => provider === undefined || one.provider === provider),
    getProviders: () => [...new Set(catalogue(providers).map(({ provider }) => provider))],
    AssistantMessageEventStream,
    EventStream,
    createAssistantMessageEventStream,
    collapseSystemMessages,
    getCurrentSystemPrompt,
    getCurrentTools,
    normalizeContext,
    getSupportedThinkingLevels: (model: unknown) => models().levels(readModel(model)),
    clampThinkingLevel: (model: unknown, level: unknown): ThinkingLevel =>
      models().clampLevel(readModel(model), ThinkingLevel.parse(level)),
  };
}

/** While extensions are loaded only the built-in models are known. */
function catalogue(providers: ProviderSlot): readonly Model[] {
  return providers.isBound ? providers.models().all() : CATALOGUE;
}
