import * as z from "zod";
import { MessageBuilder } from "../../loop/message-builder.ts";
import { describeIssues, errorMessage } from "../../protocol/errors.ts";
import type { AssistantMessage } from "../../protocol/messages.ts";
import { type Model, ThinkingLevel } from "../../protocol/model.ts";
import { ZERO_USAGE } from "../../providers/cost.ts";
import { prepareContext } from "../../providers/prepare-context.ts";
import { ProviderError, type ProviderRequest, type RequestHooks } from "../../providers/provider.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import { isVirtual } from "../../providers/virtual-models.ts";
import type { AnswerEvent, AssistantMessageEventStream } from "../event-stream.ts";
import { ExtensionFunction } from "../registrations.ts";
import { readModel } from "./read-model.ts";
import { readConversation } from "./transcript.ts";

const callback = ExtensionFunction.optional().catch(undefined);
const word = z.string().optional().catch(undefined);

/** The options of a call; others are ignored. */
const CallOptions = z
  .object({
    apiKey: word,
    headers: z.record(z.string(), z.string().nullable()).optional(),
    maxTokens: z.int().positive().optional(),
    reasoning: word,
    reasoningEffort: word,
    effort: word,
    signal: z.instanceof(AbortSignal).optional().catch(undefined),
    onPayload: callback,
    onResponse: callback,
    onProviderStreamEvent: callback,
  })
  .default({});
type CallOptions = z.infer<typeof CallOptions>;

/** A request of an extension for one answer, as it was given. */
export interface ModelCall {
  model: unknown;
  context: unknown;
  options: unknown;
  /** The wire to use in place of the model's own. */
  api?: string | undefined;
}

/**
 * Sends an extension's request to a model and pushes the response into `stream`. Never rejects: a failure is a response
 * with the stop reason `error` or `aborted`. @param registry may throw, which counts as a failure.
 */
export async function answerCall(
  call: ModelCall,
  registry: () => ModelRegistry,
  stream: AssistantMessageEventStream,
): Promise<AssistantMessage> {
  let builder: MessageBuilder | undefined;
  const isAborted = () => CallOptions.safeParse(call.options).data?.signal?.aborted === true;
  try {
    const models = registry();
    const request = await readCall(call, models);
    builder = new MessageBuilder(request.model, request.thinkingLevel);
    await forward(models.providerOf(request.model).stream(request), builder, stream);
    const message = builder.finished();
    stream.push(withFields({ type: "done" }, { reason: message.stopReason, message }));
    return message;
  } catch (error) {
    const reason = isAborted() ? "aborted" : "error";
    const text = isAborted() ? "Request was aborted" : wordsOf(error);
    const message = builder?.failed(reason, text) ?? unansweredMessage(call.model, reason, text);
    stream.push(withFields({ type: "error" }, { reason, error: message }));
    return message;
  }
}

async function forward(
  answer: ReturnType<ReturnType<ModelRegistry["providerOf"]>["stream"]>,
  builder: MessageBuilder,
  stream: AssistantMessageEventStream,
): Promise<void> {
  // Created only when it is read: assembling it for each event would take quadratic time.
  const withPartial = (event: AnswerEvent) =>
    Object.defineProperty(event, "partial", { enumerable: true, configurable: true, get: () => builder.snapshot() });
  stream.push(withPartial({ type: "start" }));
  for await (const events of answer) {
    for (const event of events) {
      const step = builder.apply(event);
      if (step !== undefined) stream.push(withPartial({ ...step }));
    }
  }
  if (!builder.isComplete) {
    throw new ProviderError("network", "Lost the connection to the model during the response.");
  }
}

/** @throws Error that describes the problem with the call. */
async function readCall(
  { model: given, context, options, api }: ModelCall,
  models: ModelRegistry,
): Promise<ProviderRequest> {
  const conversation = readConversation(context);
  const { signal = new AbortController().signal, ...rest } = CallOptions.parse(options);
  const asked = virtualModel(given, models) ?? readModel(given, api);
  const wished = models.clampLevel(asked, wishedLevel(rest));
  const routed = { model: asked, thinkingLevel: wished, reason: "direct", content: conversation, signal } as const;
  const { model, thinkingLevel } = await models.route(routed);
  // What the caller gives for the virtual model's provider is not for another one.
  const { apiKey, headers } = model.provider === asked.provider ? rest : {};
  const maxTokens = model === asked ? rest.maxTokens : rest.maxTokens && Math.min(rest.maxTokens, model.maxTokens);
  const key = apiKey ?? (await models.fetchKey(model.provider, signal));
  if (key === undefined && models.providerOf(model).needsKey && !models.hasCredentials(model.provider)) {
    throw new Error(`No API key for ${model.provider}/${model.id}.`);
  }
  return {
    model,
    systemPrompt: conversation.systemPrompt,
    messages: prepareContext(conversation.messages, model),
    tools: conversation.tools,
    thinkingLevel,
    apiKey: key,
    maxTokens,
    headers,
    hooks: hooksOf(rest, model),
    signal,
  };
}

/** Returns the virtual model that an extension names. */
function virtualModel(given: unknown, models: ModelRegistry): Model | undefined {
  const { provider, id } = Asked.parse(given);
  const known = models.find(provider, id);
  return known !== undefined && isVirtual(known) ? known : undefined;
}

function wishedLevel({ reasoning, reasoningEffort, effort }: CallOptions): ThinkingLevel {
  return ThinkingLevel.safeParse(reasoning ?? reasoningEffort ?? effort).data ?? "off";
}

function hooksOf(options: CallOptions, model: Model): RequestHooks | undefined {
  const { onPayload, onResponse, onProviderStreamEvent } = options;
  if (onPayload === undefined && onResponse === undefined && onProviderStreamEvent === undefined) return undefined;
  return {
    async payload(body) {
      const changed = await onPayload?.(body, model);
      return typeof changed === "object" && changed !== null ? changed : body;
    },
    async response(status, headers) {
      try {
        await onResponse?.({ status, headers }, model);
      } catch (cause) {
        throw new ProviderError("invalid_request", errorMessage(cause), { cause });
      }
    },
    ...(onProviderStreamEvent && {
      async streamEvent(data) {
        await onProviderStreamEvent(data, model);
      },
    }),
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof z.ZodError)) return errorMessage(error);
  return ["The model cannot be asked like this:", ...describeIssues(error)].join("\n");
}

const Asked = z
  .object({ api: z.string().catch("none"), provider: z.string().catch("none"), id: z.string().catch("none") })
  .catch({ api: "none", provider: "none", id: "none" });

/** The answer of a model that could not be asked. */
function unansweredMessage(asked: unknown, stopReason: "error" | "aborted", text: string): AssistantMessage {
  const { api, provider, id } = Asked.parse(asked);
  return {
    role: "assistant",
    content: [],
    api,
    provider,
    model: id,
    usage: ZERO_USAGE,
    stopReason,
    errorMessage: text,
    timestamp: Date.now(),
  };
}

function withFields(event: AnswerEvent, fields: object): AnswerEvent {
  return Object.assign(event, fields);
}
