import * as z from "zod";
import type { Emit, RequestSettings } from "../loop/loop-host.ts";
import { toolSpecs } from "../loop/request-messages.ts";
import type { AgentMessage, AssistantMessage } from "../protocol/messages.ts";
import { VIRTUAL_STATE_ENTRY_TYPE } from "../protocol/session-entries.ts";
import type { ModelRegistry } from "../providers/registry.ts";
import { isVirtual, type RouteReason } from "../providers/virtual-models.ts";
import { plainCopy } from "../util/plain-copy.ts";
import type { Conversation } from "./conversation.ts";
import type { ModelSelection } from "./model-selection.ts";

interface RoutingParts {
  registry: ModelRegistry;
  selection: ModelSelection;
  conversation(): Conversation;
  emit: Emit;
}

/** The state of a router, as the session keeps it. */
const StoredState = z.object({ provider: z.string(), modelId: z.string(), state: z.unknown() });

type Route = (
  settings: RequestSettings,
  failed: AssistantMessage | undefined,
  signal: AbortSignal,
) => Promise<RequestSettings> | undefined;

/** Returns how a run has virtual models choose, and keeps what they want to remember. */
export function createRouting(parts: RoutingParts): Route {
  return (settings, failed, signal) =>
    isVirtual(settings.model) ? routeRequest(parts, settings, failed, signal) : undefined;
}

/** Returns the response at the end of a conversation, if it failed. */
export function failedResponse(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  const last = messages.at(-1);
  return last?.role === "assistant" && last.stopReason === "error" ? last : undefined;
}

async function routeRequest(
  { registry, selection, conversation, emit }: RoutingParts,
  settings: RequestSettings,
  failed: AssistantMessage | undefined,
  signal: AbortSignal,
): Promise<RequestSettings> {
  const { model, thinkingLevel, systemPrompt, declared } = settings;
  const messages = conversation().sent.filter(
    (message) => failed === undefined || failedResponse([message]) === undefined,
  );
  const known = stateOf(conversation(), settings);
  const routed = await registry.route({
    model,
    thinkingLevel,
    reason: failed === undefined ? reasonFor(messages) : "retry",
    content: { systemPrompt, messages, tools: toolSpecs(declared) },
    failed,
    state: known,
    signal,
  });
  if (routed.state !== undefined && routed.state !== known) {
    const data = { provider: model.provider, modelId: model.id, state: plainCopy(routed.state) };
    const entry = conversation().appendCustom(VIRTUAL_STATE_ENTRY_TYPE, data);
    if (entry !== undefined) await emit({ type: "entry_appended", entry });
  }
  selection.noteRouted(routed.model);
  return {
    ...settings,
    ...registry.resolve(routed.model),
    model: routed.model,
    thinkingLevel: routed.thinkingLevel,
  };
}

/** Messages of extensions may follow that of the user. */
function reasonFor(messages: readonly AgentMessage[]): RouteReason {
  const answered = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.slice(answered + 1).some(({ role }) => role === "user") ? "user" : "continuation";
}

/** Returns a copy of the latest state on the branch. */
function stateOf(conversation: Conversation, { model }: RequestSettings): unknown {
  for (const entry of conversation.path().toReversed()) {
    if (entry.type !== "custom" || entry.customType !== VIRTUAL_STATE_ENTRY_TYPE) continue;
    const { data } = StoredState.safeParse(entry.data);
    if (data?.provider === model.provider && data.modelId === model.id) return structuredClone(data.state);
  }
  return undefined;
}
