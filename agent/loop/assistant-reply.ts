import type { StreamRule } from "../prompt/rules.ts";
import { AgentError, errorMessage } from "../protocol/errors.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import { cacheLifetimeMs } from "../providers/cache-lifetime.ts";
import { ZERO_USAGE } from "../providers/cost.ts";
import type { ContextMessage } from "../providers/prepare-context.ts";
import { type Pause, ProviderError, type ToolSpec } from "../providers/provider.ts";
import type { AnyTool } from "../tools/tool.ts";
import type { LoopHost, RequestContent, RequestSettings } from "./loop-host.ts";
import { type BrokenCall, MessageBuilder } from "./message-builder.ts";
import { requestMessages, toolSpecs } from "./request-messages.ts";

/** The end of a request to the model; failures are values, never thrown. */
export type Reply =
  | {
      kind: "complete";
      message: AssistantMessage;
      brokenCalls: ReadonlyMap<string, BrokenCall>;
      /** The tools that can be called. */
      tools: ReadonlyMap<string, AnyTool>;
      /** Set if the model only paused. */
      pause: Pause | undefined;
    }
  | { kind: "failed"; message: AssistantMessage; error: unknown }
  | { kind: "aborted"; message: AssistantMessage }
  /** The model's output matched rules. */
  | { kind: "interrupted"; message: AssistantMessage; rules: readonly StreamRule[] };

const ABORTED_TEXT = "Request was aborted";

/**
 * Asks the model once and streams its answer as events, from `message_start` to the last update.
 * @param isResumed true if the conversation ends with a response that the model paused.
 */
export async function streamReply(host: LoopHost, isResumed: boolean, signal: AbortSignal): Promise<Reply> {
  let settings: RequestSettings;
  try {
    settings = host.requestSettings();
  } catch (error) {
    const message = { ...emptyMessage("error", errorMessage(error)), ...kindOf(error) };
    await host.emit({ type: "message_start", message });
    return { kind: "failed", message, error };
  }
  let builder = new MessageBuilder(settings.model, settings.thinkingLevel);
  let isStarted = false;
  const start = async () => {
    if (isStarted) return;
    isStarted = true;
    await host.emit({ type: "message_start", message: builder.snapshot() });
  };
  try {
    signal.throwIfAborted();
    const routed = host.route?.(settings, signal);
    if (routed !== undefined) {
      settings = await routed;
      builder = new MessageBuilder(settings.model, settings.thinkingLevel);
      signal.throwIfAborted();
    }
    const content = await sentContent(host, settings, signal);
    const asking = { settings, builder, start };
    const rules = await askRepaired(host, content.messages, (messages) =>
      consume(host, { ...asking, request: { ...content, messages, isResumed } }, signal),
    );
    await start();
    if (rules.length > 0) {
      await host.emit({ type: "ttsr_triggered", rules: rules.map(toldRule) });
      signal.throwIfAborted();
      return { kind: "interrupted", message: builder.failed("aborted", ABORTED_TEXT), rules };
    }
    const { brokenCalls, pause } = builder;
    const rewrite = host.prefix.takeRewrite(builder.usage);
    const message = { ...builder.finished(), ...(rewrite === undefined ? {} : { cacheRewrite: rewrite }) };
    return { kind: "complete", message, brokenCalls, tools: settings.tools, pause };
  } catch (error) {
    await start();
    if (signal.aborted) return { kind: "aborted", message: builder.failed("aborted", ABORTED_TEXT) };
    return { kind: "failed", message: { ...builder.failed("error", errorMessage(error)), ...kindOf(error) }, error };
  }
}

/** The parts of the host that supply the content of a request. */
export type ContentHost = Pick<LoopHost, "context" | "repairs" | "hooks">;

async function contentOf(host: ContentHost, settings: RequestSettings, signal: AbortSignal): Promise<RequestContent> {
  const { systemPrompt, declared } = settings;
  const content = { systemPrompt, messages: host.context(), tools: toolSpecs(declared) };
  if (host.hooks === undefined) return content;
  const messages = await host.hooks.context(content.messages, signal);
  return host.hooks.contextWithSystem({ ...content, messages }, signal);
}

/** Returns the content of a request in the form that the provider accepts, without repairs. */
export async function sentContent(host: ContentHost, settings: RequestSettings, signal: AbortSignal) {
  const content = await contentOf(host, settings, signal);
  signal.throwIfAborted();
  const limits = { model: settings.model, messageShare: host.repairs.messageShare };
  return { ...content, messages: await requestMessages(content.messages, limits, signal) };
}

/** Asks again without what the provider refused, as long as something can be left out, and tells the user. */
async function askRepaired<Answer>(
  { repairs, prefix, warn }: LoopHost,
  messages: readonly ContextMessage[],
  ask: (messages: readonly ContextMessage[]) => Promise<Answer>,
): Promise<Answer> {
  const repair = repairs.begin();
  for (;;) {
    const sent = repairs.apply(messages);
    try {
      return await ask(sent);
    } catch (error) {
      const told = repair.answer(error, sent);
      if (told === undefined) throw error;
      warn(told);
      prefix.changes("refusal");
    }
  }
}

interface Asking {
  settings: RequestSettings;
  request: {
    systemPrompt: string;
    messages: readonly ContextMessage[];
    tools: readonly ToolSpec[];
    isResumed: boolean;
  };
  builder: MessageBuilder;
  start(): Promise<void>;
}

/** @returns the rules that ended the request before the answer was complete; empty when it is. */
async function consume(
  host: LoopHost,
  { settings, request, builder, start }: Asking,
  signal: AbortSignal,
): Promise<readonly StreamRule[]> {
  const { model, thinkingLevel, cacheTtl, declared } = settings;
  host.prefix.sends({ ...request, model, thinkingLevel }, declared, cacheLifetimeMs(model, cacheTtl));
  const watch = host.watchAnswer?.();
  const interrupt = new AbortController();
  const stream = settings.provider.stream({
    model,
    ...request,
    thinkingLevel,
    cacheTtl,
    apiKey: settings.apiKey,
    conversationId: settings.conversationId,
    hooks: host.hooks?.request(signal),
    signal: watch === undefined ? signal : AbortSignal.any([signal, interrupt.signal]),
  });
  const snapshot = () => builder.snapshot();
  const usage = () => builder.usage;
  for await (const events of stream) {
    for (const event of events) {
      const step = builder.apply(event);
      if (event.type === "start") await start();
      if (step === undefined) continue;
      watch?.add(step);
      const seen = host.emit({ type: "message_update", step, usage, snapshot });
      if (seen !== undefined) await seen;
    }
    signal.throwIfAborted();
    const rules = watch?.check() ?? [];
    if (rules.length > 0) {
      interrupt.abort();
      return rules;
    }
    const drained = host.ready();
    if (drained !== undefined) await drained;
  }
  if (!builder.isComplete) {
    throw new ProviderError("network", "Lost the connection to the model during the response.");
  }
  return [];
}

function toldRule({ name, description, path, content }: StreamRule) {
  return { name, ...(description === "" ? {} : { description }), path, content };
}

/** Returns the kind of a model's failure, for hosts; nothing for other errors. */
function kindOf(error: unknown): Pick<AssistantMessage, "errorKind"> {
  if (error instanceof AgentError) return error.code === "no_credentials" ? { errorKind: "auth" } : {};
  return error instanceof ProviderError && error.kind !== "aborted" ? { errorKind: error.kind } : {};
}

/** The message that closes a run whose tools were aborted: hosts look for it. */
export function abortedMessage(host: LoopHost): AssistantMessage {
  try {
    const { model, thinkingLevel } = host.requestSettings();
    return new MessageBuilder(model, thinkingLevel).failed("aborted", ABORTED_TEXT);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    return emptyMessage("aborted", ABORTED_TEXT);
  }
}

function emptyMessage(stopReason: "error" | "aborted", text: string): AssistantMessage {
  return {
    role: "assistant",
    content: [],
    api: "none",
    provider: "none",
    model: "none",
    usage: ZERO_USAGE,
    stopReason,
    errorMessage: text,
    timestamp: Date.now(),
  };
}
