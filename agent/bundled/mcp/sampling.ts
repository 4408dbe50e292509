import {
  type CreateMessageRequest,
  type CreateMessageResult,
  ErrorCode,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { ExtensionAPI, ExtensionContext } from "../../extensions/author.ts";
import type { AssistantMessage } from "../../protocol/messages.ts";
import type { Model } from "../../protocol/model.ts";
import { SAMPLING_ENTRY_TYPE } from "../../protocol/session-entries.ts";
import { withTimeLimit } from "../../util/with-time-limit.ts";
import { describeRequest, readSamplingRequest, type SamplingRequest } from "./sampling-request.ts";
import { Turns } from "./turns.ts";

/** The error code that the specification defines for a denied request. */
const REJECTED = -1;
const LIMIT_MS = 5 * 60_000;
/** The maximum number of requests from one server that wait at the same time. */
const MAX_WAITING = 5;
const MAX_EXCERPT_CHARACTERS = 1500;

const ALLOW = "Allow";
const ALLOW_SESSION = "Allow for This Session";
const SHOW_ALL = "Show All";
const DENY = "Deny";

interface SamplingContext {
  ui: Pick<ExtensionContext["ui"], "select" | "editor">;
  model: Model | undefined;
  modelRegistry: Pick<ExtensionContext["modelRegistry"], "getAvailable" | "complete">;
}

interface SamplingParts {
  /** The name of the server. */
  server: string;
  api: Pick<ExtensionAPI, "appendEntry">;
  context(): SamplingContext;
}

/** Asks a model on behalf of one server, after the user has agreed. One request at a time. */
export class Sampling {
  readonly #parts: SamplingParts;
  /** The models that the server may ask in this session. */
  readonly #allowed = new Set<string>();
  readonly #turns = new Turns(MAX_WAITING);
  /** Aborted when the session ends. */
  #session = new AbortController();

  constructor(parts: SamplingParts) {
    this.#parts = parts;
  }

  /** Cancels requests and forgets what the user allowed, because another session begins. */
  sessionEnded(): void {
    this.#allowed.clear();
    this.#session.abort();
    this.#session = new AbortController();
  }

  /** @throws McpError for the server when the user denies the request or it fails. */
  async answer(params: CreateMessageRequest["params"], signal: AbortSignal): Promise<CreateMessageResult> {
    const request = readSamplingRequest(params);
    const end = AbortSignal.any([signal, this.#session.signal]);
    return this.#turns.take(() => this.#answer(request, end), end);
  }

  async #answer(request: SamplingRequest, signal: AbortSignal): Promise<CreateMessageResult> {
    const { model: selected, modelRegistry } = this.#parts.context();
    const model = chooseModel(request.hints, selected, modelRegistry.getAvailable());
    if (model === undefined) throw new McpError(ErrorCode.InternalError, "No model is selected.");
    await this.#askUser(request, model, signal);
    const { systemPrompt, messages, maxTokens } = request;
    const context = { ...(systemPrompt !== undefined && { systemPrompt }), messages };
    const limit = withTimeLimit(signal, LIMIT_MS);
    try {
      const message = await modelRegistry.complete(model, context, {
        maxTokens: model.maxTokens > 0 ? Math.min(maxTokens, model.maxTokens) : maxTokens,
        signal: limit.signal,
      });
      signal.throwIfAborted();
      this.#count(message, model);
      return toResult(message, request.stopSequences);
    } finally {
      limit.end();
    }
  }

  async #askUser(request: SamplingRequest, model: Model, signal: AbortSignal): Promise<void> {
    const name = `${model.provider}/${model.id}`;
    if (this.#allowed.has(name)) return;
    const { server, context } = this.#parts;
    const whole = describeRequest(request);
    const isLong = whole.length > MAX_EXCERPT_CHARACTERS;
    const excerpt = isLong ? `${whole.slice(0, MAX_EXCERPT_CHARACTERS)}…` : whole;
    const tokens = request.maxTokens.toLocaleString("en-US");
    const head = `MCP server "${server}" wants to ask ${name} for an answer of up to ${tokens} tokens. It sends:`;
    const options = [ALLOW, ALLOW_SESSION, ...(isLong ? [SHOW_ALL] : []), DENY];
    const { ui } = context();
    let answer = await ui.select(`${head}\n\n${excerpt}`, options, { signal });
    while (answer === SHOW_ALL) {
      await ui.editor(`What MCP server "${server}" sends to ${name}`, whole, { signal });
      answer = await ui.select(`${head}\n\n${excerpt}`, options, { signal });
    }
    signal.throwIfAborted();
    if (answer === ALLOW_SESSION) this.#allowed.add(name);
    else if (answer !== ALLOW) throw new McpError(REJECTED, "The user rejected the sampling request.");
  }

  #count({ usage }: AssistantMessage, { provider, id }: Model): void {
    if (usage.totalTokens === 0 && usage.cost.total === 0) return;
    this.#parts.api.appendEntry(SAMPLING_ENTRY_TYPE, { server: this.#parts.server, model: `${provider}/${id}`, usage });
  }
}

/**
 * Returns the first available model that a hint names, otherwise the selected one. If a hint matches several models, the selected one is preferred.
 */
function chooseModel(
  hints: readonly string[],
  selected: Model | undefined,
  available: readonly Model[],
): Model | undefined {
  const models = selected === undefined ? available : [selected, ...available];
  for (const hint of hints.map((text) => text.toLowerCase())) {
    const found = models.find(({ id, name }) => id.toLowerCase().includes(hint) || name.toLowerCase().includes(hint));
    if (found !== undefined) return found;
  }
  return selected;
}

function toResult(message: AssistantMessage, stopSequences: readonly string[]): CreateMessageResult {
  const { stopReason, errorMessage = "The model gave no answer.", model, content } = message;
  if (stopReason === "error" || stopReason === "aborted") throw new McpError(ErrorCode.InternalError, errorMessage);
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
  const ends = stopSequences.map((sequence) => text.indexOf(sequence)).filter((at) => at !== -1);
  const end = ends.length === 0 ? undefined : Math.min(...ends);
  return {
    role: "assistant",
    content: { type: "text", text: text.slice(0, end) },
    model,
    stopReason: end !== undefined ? "stopSequence" : stopReason === "length" ? "maxTokens" : "endTurn",
  };
}
