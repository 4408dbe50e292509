import { isDeepStrictEqual } from "node:util";
import { isLeftOutNote } from "../images/left-out-notes.ts";
import type { CacheRewrite, CacheRewriteCause } from "../protocol/cache-rewrite.ts";
import type { Model, ThinkingLevel, Usage } from "../protocol/model.ts";
import type { ContextMessage } from "../providers/prepare-context.ts";
import type { ToolSpec } from "../providers/provider.ts";
import type { AnyTool } from "../tools/tool.ts";
import { isSameSpec, toolChanges } from "./tool-changes.ts";

/** If the cache served at least this share of its tokens, it was not rewritten. */
const SERVED_SHARE = 0.9;
const MINUTE_MS = 60_000;

/** The parts of a request, in the order in which a provider reads them: tools, system prompt, messages. */
export interface SentRequest {
  model: Model;
  thinkingLevel: ThinkingLevel;
  tools: readonly ToolSpec[];
  systemPrompt: string;
  messages: readonly ContextMessage[];
}

/** The changes of a history that their owners report. */
type HistoryChange = Extract<CacheRewriteCause, "compaction" | "pruning" | "branch" | "refusal" | "shortening">;

const HISTORY_WORDS: Record<HistoryChange | "images" | "history", string> = {
  compaction: "history was compacted",
  pruning: "old tool results were left out",
  branch: "the chat continued from an earlier message",
  refusal: "a part that the provider refused was left out",
  shortening: "long messages were shortened",
  images: "old images were left out",
  history: "earlier messages changed",
};

/** A request without an answer yet. */
interface PendingRequest {
  request: SentRequest;
  declared: ReadonlyMap<string, AnyTool>;
  rewrite: CacheRewrite | undefined;
}

/**
 * Remembers the beginning of a session's last answered request. Providers read an unchanged beginning from their cache, so requests should only add
 * to it; if one changes it, this says why. Compares objects, which stay the same from request to request, and reads only new ones.
 */
export class RequestPrefix {
  #last: SentRequest | undefined;
  /** The number of tokens in the last answered request. */
  #lastTokens: number | undefined;
  #declared: ReadonlyMap<string, AnyTool> | undefined;
  #change: HistoryChange | undefined;
  #pending: PendingRequest | undefined;
  /** The providers that have reported cached tokens. */
  readonly #reporting = new Set<string>();

  /** Another session was opened. */
  clear(): void {
    this.#last = undefined;
    this.#lastTokens = undefined;
    this.#declared = undefined;
    this.#change = undefined;
    this.#pending = undefined;
    this.#reporting.clear();
  }

  /** Records a change of the history. If the next request begins differently, it is the reason. */
  changes(change: HistoryChange): void {
    this.#change = change;
    if (change === "compaction") this.#declared = undefined;
  }

  /**
   * Returns the tools that a request declares. New tools come last. A tool that withdraws itself stays declared while the rest of the beginning is
   * unchanged: a failed call costs less than another read of the whole conversation. A tool that was switched off is removed.
   * @param offered the tools that can be called.
   * @param isExpired true if the provider's cache has expired.
   */
  declare(
    offered: ReadonlyMap<string, AnyTool>,
    model: Model | undefined,
    isExpired: boolean,
  ): ReadonlyMap<string, AnyTool> {
    const before = this.#declared;
    if (before === undefined || isExpired || model === undefined || !isSameModel(this.#last?.model, model))
      return offered;
    const isNew = [...offered.values()].some((tool) => !isSameSpec(before.get(tool.name), tool));
    const gone = [...before.values()].filter(({ name }) => !offered.has(name));
    const isAnew = isNew || gone.some((tool) => tool.isOffered?.() !== false);
    const kept = [...before.values()].flatMap((tool) => offered.get(tool.name) ?? (isAnew ? [] : [tool]));
    return new Map([...kept, ...offered.values()].map((tool) => [tool.name, tool]));
  }

  /** True if the last answered request declared a tool with this name. */
  declares(name: string): boolean {
    return this.#declared?.has(name) === true;
  }

  /**
   * Records a request that is being sent. @param declared the result of `declare`. @param lifetimeMs the lifetime of the provider's cache, if known.
   */
  sends(
    request: SentRequest,
    declared: ReadonlyMap<string, AnyTool>,
    lifetimeMs: number | undefined,
    now = Date.now(),
  ): void {
    const isOtherModel = this.#last !== undefined && !isSameModel(this.#last.model, request.model);
    const expired = isOtherModel ? undefined : expiry(request, lifetimeMs, now);
    this.#pending = { request, declared, rewrite: expired ?? rewriteOf(this.#last, request, this.#change) };
  }

  /**
   * Records the answer to the last request.
   * @returns why the provider couldn't use its cache; undefined if it did, or doesn't report cached tokens.
   */
  takeRewrite({ input, cacheRead, cacheWrite }: Usage): CacheRewrite | undefined {
    if (this.#pending === undefined) return undefined;
    const { request, declared, rewrite } = this.#pending;
    const tokens = input + cacheRead + cacheWrite;
    const kept = Math.min(this.#lastTokens ?? tokens, tokens);
    this.#pending = undefined;
    this.#last = request;
    this.#lastTokens = tokens;
    this.#declared = declared;
    this.#change = undefined;
    if (cacheRead + cacheWrite > 0) this.#reporting.add(request.model.provider);
    const isServed = cacheRead > 0 && cacheRead >= SERVED_SHARE * kept;
    return isServed || !this.#reporting.has(request.model.provider) ? undefined : rewrite;
  }
}

/** True if the provider's cache for the last answer of this model has expired. @param lifetimeMs the lifetime of the cache, if known. */
export function isExpired(
  messages: readonly { role: string; timestamp: number }[],
  lifetimeMs: number | undefined,
  now = Date.now(),
): boolean {
  const last = messages.findLast(({ role }) => role === "assistant");
  return last !== undefined && lifetimeMs !== undefined && now - last.timestamp > lifetimeMs;
}

function expiry(
  { model, messages }: SentRequest,
  lifetimeMs: number | undefined,
  now: number,
): CacheRewrite | undefined {
  const own = messages.filter((message) => message.role !== "assistant" || isAnswerOf(message, model));
  if (lifetimeMs === undefined || !isExpired(own, lifetimeMs, now)) return undefined;
  return { cause: "expired", reason: `cache expired after ${lifetimeMs / MINUTE_MS} minutes` };
}

function isAnswerOf(message: Extract<ContextMessage, { role: "assistant" }>, model: Model): boolean {
  return message.provider === model.provider && message.model === model.id;
}

/** Returns why a request begins differently: the reported change of the history, otherwise the first changed part in the order of reading. */
function rewriteOf(
  before: SentRequest | undefined,
  after: SentRequest,
  change: HistoryChange | undefined,
): CacheRewrite | undefined {
  if (before === undefined) return undefined;
  if (!isSameModel(before.model, after.model)) {
    return { cause: "model", reason: `model changed (${before.model.id} to ${after.model.id})` };
  }
  const at = before.messages.findIndex((message, index) => !isSameMessage(message, after.messages[index]));
  if (at !== -1 && change !== undefined) return { cause: change, reason: HISTORY_WORDS[change] };
  const tools = toolChanges(before.tools, after.tools);
  if (tools !== undefined) return tools;
  if (before.systemPrompt !== after.systemPrompt) return { cause: "system_prompt", reason: "system prompt changed" };
  if (before.thinkingLevel !== after.thinkingLevel) {
    const levels = `${before.thinkingLevel} to ${after.thinkingLevel}`;
    return { cause: "thinking_level", reason: `thinking level changed (${levels})` };
  }
  if (at === -1) return undefined;
  const cause = hasLeftOutNote(after.messages[at]) ? "images" : "history";
  return { cause, reason: HISTORY_WORDS[cause] };
}

function isSameModel(one: Model | undefined, other: Model): boolean {
  return one !== undefined && one.provider === other.provider && one.id === other.id;
}

/** Compares two messages. Most are the same object in each request; others, such as notes, are created anew. */
function isSameMessage(one: ContextMessage, other: ContextMessage | undefined): boolean {
  if (one === other) return true;
  if (other === undefined || one.role !== other.role || one.content.length !== other.content.length) return false;
  if (typeof one.content === "string" || typeof other.content === "string") return one.content === other.content;
  const blocks: readonly object[] = other.content;
  return one.content.every((block, at) => block === blocks[at] || isDeepStrictEqual(block, blocks[at]));
}

function hasLeftOutNote(message: ContextMessage | undefined): boolean {
  return message !== undefined && typeof message.content !== "string" && message.content.some(isLeftOutNote);
}
