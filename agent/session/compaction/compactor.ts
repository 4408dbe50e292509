import type { Settings } from "../../config/settings.ts";
import type { Emit, RunHooks, SuppliedCompaction } from "../../loop/loop-host.ts";
import type { CompactionReason, CompactionResult } from "../../protocol/compaction.ts";
import { AgentError, errorMessage } from "../../protocol/errors.ts";
import type { Model, Usage } from "../../protocol/model.ts";
import type { ModelRegistry } from "../../providers/registry.ts";
import type { Conversation } from "../conversation.ts";
import type { ModelSelection } from "../model-selection.ts";
import { contextTokens, estimateTokens } from "../token-count.ts";
import { type CompactionPlan, isCompacted, limitsFor, planCompaction } from "./plan.ts";
import { type Summarizer, type Summary, summarize } from "./summarize.ts";

interface CompactorOptions {
  hooks: RunHooks | undefined;
  emit: Emit;
  registry: ModelRegistry;
  selection: ModelSelection;
  settings: Pick<Settings["compaction"], "reserveTokens" | "keepRecentTokens">;
  retry(): Settings["retry"];
  conversation(): Conversation;
}

/** How much of its window the context takes, in tokens. */
export interface Fill {
  tokens: number;
  contextWindow: number;
  /** What stays free for the answer. */
  reserveTokens: number;
}

interface WorkOptions {
  reason: CompactionReason;
  customInstructions?: string | undefined;
}

/** Replaces old history of the conversation by a summary. At most one compaction is in progress. */
export class Compactor {
  readonly #options: CompactorOptions;
  #manual: { abort: AbortController; done: Promise<CompactionResult> } | undefined;
  #isWorking = false;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** From the command, or the first event, to the last event. */
  get isCompacting(): boolean {
    return this.#isWorking || this.#manual !== undefined;
  }

  /** How full the window is; undefined without a model or when its window is not known. */
  fill(): Fill | undefined {
    const { model } = this.#options.selection;
    if (model === undefined || model.contextWindow <= 0) return undefined;
    const { messages, freshFrom } = this.#options.conversation();
    const { reserveTokens } = limitsFor(this.#options.settings, model.contextWindow);
    return { tokens: contextTokens(messages, freshFrom), contextWindow: model.contextWindow, reserveTokens };
  }

  /** What could be summarised now; undefined when that is nothing. */
  plan(): CompactionPlan | undefined {
    const { model } = this.#options.selection;
    if (model === undefined) return undefined;
    return planCompaction(this.#options.conversation().path(), limitsFor(this.#options.settings, model.contextWindow));
  }

  /**
   * Compacts because somebody asked for it, and tells so with events.
   * @param prepare ends what is in the way; it comes before the first event.
   * @throws AgentError aborted after `abort`; else what is in the way of a summary.
   */
  async compactManually(
    customInstructions: string | undefined,
    prepare: () => Promise<void>,
  ): Promise<CompactionResult> {
    const abort = new AbortController();
    const done = this.#compactManually(customInstructions, prepare, abort.signal);
    const manual = { abort, done };
    this.#manual = manual;
    try {
      return await done;
    } finally {
      if (this.#manual === manual) this.#manual = undefined;
    }
  }

  /** Ends a compaction that somebody asked for. Resolves after its last event. */
  async abort(): Promise<void> {
    this.#manual?.abort.abort();
    await this.#manual?.done.catch(() => undefined); // whoever asked for it is told
  }

  /**
   * Has a plan summarised and writes the result down. An aborted one leaves nothing behind.
   * @throws AgentError or Error in words for people.
   */
  async carryOut(plan: CompactionPlan, options: WorkOptions, signal: AbortSignal): Promise<CompactionResult> {
    this.#isWorking = true;
    try {
      const conversation = this.#options.conversation();
      const { firstKeptEntryId, tokensBefore } = plan;
      const request = { firstKeptEntryId, tokensBefore, ...options };
      const verdict = await this.#options.hooks?.beforeCompaction(request, signal);
      if (verdict?.kind === "refused") throw new AgentError("aborted", "Compaction cancelled");
      if (verdict?.kind === "supplied") return store(conversation, verdict.compaction, MADE_BY_EXTENSION);
      const summary = await this.#summarize(plan, this.#summarizer(), options, signal);
      signal.throwIfAborted();
      const { text, usage } = summary;
      return store(conversation, { summary: text, firstKeptEntryId, tokensBefore, details: plan.files, usage });
    } finally {
      this.#isWorking = false;
    }
  }

  async #compactManually(
    customInstructions: string | undefined,
    prepare: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<CompactionResult> {
    const { emit } = this.#options;
    await prepare();
    await emit({ type: "compaction_start", reason: "manual" });
    const end = { type: "compaction_end", reason: "manual", willRetry: false } as const;
    let result: CompactionResult;
    try {
      signal.throwIfAborted();
      result = await this.carryOut(this.#planOrFail(), { reason: "manual", customInstructions }, signal);
    } catch (error) {
      const aborted = isCancelled(error, signal);
      const failure = aborted ? {} : { errorMessage: `Compaction failed: ${errorMessage(error)}` };
      await emit({ ...end, result: null, aborted, ...failure });
      throw aborted ? new AgentError("aborted", "Compaction cancelled", { cause: error }) : error;
    }
    await emit({ ...end, result, aborted: false });
    return result;
  }

  #planOrFail(): CompactionPlan {
    this.#requireModel();
    const plan = this.plan();
    if (plan !== undefined) return plan;
    if (isCompacted(this.#options.conversation().path())) throw new AgentError("invalid_request", "Already compacted");
    throw new AgentError("invalid_request", "Nothing to compact (session too small)");
  }

  #requireModel(): Model {
    const { selection, registry } = this.#options;
    if (selection.model !== undefined && !registry.hasCredentials(selection.model.provider)) {
      throw new AgentError("no_credentials", `No API key for ${selection.model.provider}`);
    }
    return selection.require();
  }

  #summarizer(): Summarizer {
    const { registry, settings } = this.#options;
    const model = this.#requireModel();
    return {
      ...registry.resolve(model),
      model,
      thinkingLevel: registry.clampLevel(model, "off"),
      reserveTokens: limitsFor(settings, model.contextWindow).reserveTokens,
    };
  }

  async #summarize(
    plan: CompactionPlan,
    summarizer: Summarizer,
    { reason, customInstructions }: WorkOptions,
    signal: AbortSignal,
  ): Promise<Summary> {
    const { emit, retry } = this.#options;
    try {
      return await summarize(plan, { summarizer, customInstructions, reason, emit, retry: retry() }, signal);
    } catch (error) {
      throw new Error(`Summarization failed: ${errorMessage(error)}`, { cause: error });
    }
  }
}

/** Whether a compaction failed because somebody ended it, or did not want it. */
export function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof AgentError && error.code === "aborted");
}

/** How an entry says that an extension made it, in the words of both dialects. */
const MADE_BY_EXTENSION = { fromHook: true, fromExtension: true };

function store(
  conversation: Conversation,
  compaction: SuppliedCompaction & { usage?: Usage },
  origin: Partial<typeof MADE_BY_EXTENSION> = {},
): CompactionResult {
  if (!conversation.appendCompaction({ ...compaction, ...origin })) throw new Error("The summary could not be saved.");
  return { ...compaction, estimatedTokensAfter: estimateTokens(conversation.messages) };
}
