import type { Settings } from "../../config/settings.ts";
import type { CompactionPreparation } from "../../extensions/session-events.ts";
import type { SessionHooks, SuppliedCompaction } from "../../extensions/session-hooks.ts";
import type { Emit } from "../../loop/loop-host.ts";
import type { CompactionReason, CompactionResult } from "../../protocol/compaction.ts";
import { AgentError, errorMessage } from "../../protocol/errors.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import type { Model, Usage } from "../../protocol/model.ts";
import { cutLongMessages } from "../../util/long-messages.ts";
import { plainCopy } from "../../util/plain-copy.ts";
import { estimateTokens } from "../../util/token-estimate.ts";
import { MADE_BY_EXTENSION } from "../entry-body.ts";
import type { PrunedResult } from "../pruned-results.ts";
import { contextCount } from "../token-count.ts";
import type { Summary } from "./ask-for-summary.ts";
import { collectFacts, type Fact } from "./facts.ts";
import { fitFacts, withFacts } from "./facts-block.ts";
import { fileLists, withFileBlocks } from "./file-lists.ts";
import { fileReasons } from "./file-reasons.ts";
import { type CompactionPlan, isCompacted, limitsFor, planCompaction } from "./plan.ts";
import { planPruning } from "./pruning.ts";
import { summarize } from "./summarize.ts";
import { requireSummarizer, type SummarizerSource, summarizeWith } from "./summarizer.ts";

interface CompactorOptions extends SummarizerSource {
  hooks: SessionHooks | undefined;
  emit: Emit;
  settings: Settings["compaction"];
  isAutomatic(): boolean;
  retry(): Settings["retry"];
  /** The open tasks of the plan, as a model reads them. */
  openTasks(): string[];
  /** True if the model can search what it no longer sees. */
  canRecall(): boolean;
  /** Told what each summary used. */
  spent(usage: Usage): void;
  /** Called when the history that the model sees has changed. */
  changes(change: "compaction" | "pruning"): void;
}

/** Returns the use of the context window, in tokens. */
export interface Fill {
  tokens: number;
  contextWindow: number;
  /** The tokens reserved for the answer. */
  reserveTokens: number;
  /** The estimated part of `tokens`. */
  estimated: number;
}

/** Why a compaction is made, and what follows it. */
export interface CompactionWork {
  reason: CompactionReason;
  /** True if the request that did not fit is made again afterwards. */
  willRetry: boolean;
  customInstructions?: string | undefined;
}

/** Returns the event of a failed compaction. */
interface CompactionFailure {
  aborted: boolean;
  /** Absent when it was aborted or refused. */
  errorMessage?: string;
}

/** Replaces old history of the conversation by a summary. At most one compaction is in progress. */
export class Compactor {
  readonly #options: CompactorOptions;
  #manual: { abort: AbortController; done: Promise<CompactionResult> } | undefined;
  #isWorking = false;
  #counted: { last: AgentMessage | undefined; model: string | undefined; tokens: number } | undefined;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  /** From the command, or the first event, to the last event. */
  get isCompacting(): boolean {
    return this.#isWorking || this.#manual !== undefined;
  }

  /** Returns the use of the context window; undefined without a model or if the window is unknown. */
  fill(): Fill | undefined {
    const model = this.#model();
    if (model === undefined || model.contextWindow <= 0) return undefined;
    const { sent, freshFrom } = this.#options.conversation();
    const { reserveTokens } = limitsFor(this.#options.settings, model.contextWindow);
    const facts = { contextWindow: model.contextWindow, reserveTokens };
    if (this.#counted?.last === sent.at(-1) && this.#counted?.model === model.id) {
      return { ...facts, tokens: this.#counted.tokens, estimated: 0 };
    }
    const { reported, estimated } = contextCount(cutLongMessages(sent, model), freshFrom);
    return { ...facts, tokens: reported + estimated, estimated };
  }

  /** Records the provider's count for the current conversation, which replaces the estimate until the conversation changes. */
  noteCount(tokens: number): void {
    this.#counted = { last: this.#options.conversation().sent.at(-1), model: this.#model()?.id, tokens };
  }

  /**
   * Returns the old tool results that could be pruned instead of making a summary; undefined if that would not be enough.
   * @param isOverfull true if the context doesn't fit, whatever its estimated size.
   */
  planPruning(isOverfull: boolean): PrunedResult[] | undefined {
    const fill = this.fill();
    if (fill === undefined) return undefined;
    const { contextWindow, reserveTokens } = fill;
    const { keepRecentTokens } = limitsFor(this.#options.settings, contextWindow);
    return planPruning(this.#options.conversation().path(), {
      tokens: isOverfull ? Math.max(fill.tokens, contextWindow) : fill.tokens,
      room: contextWindow - reserveTokens,
      keepRecentTokens,
      canRecall: this.#options.canRecall(),
    });
  }

  /** Sends notes in place of tool results from here on, and tells so. @returns false when that could not be written. */
  async prune(results: readonly PrunedResult[]): Promise<boolean> {
    const entry = this.#options.conversation().prune(results);
    if (entry !== undefined) this.#options.changes("pruning");
    this.#counted = undefined;
    if (entry !== undefined) await this.#options.emit({ type: "entry_appended", entry });
    return entry !== undefined;
  }

  /** Returns the messages that could be summarized now; undefined if there are none. */
  plan(): CompactionPlan | undefined {
    const model = this.#model();
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

  /** Ends a manual compaction. Resolves after its last event. */
  async abort(): Promise<void> {
    this.#manual?.abort.abort();
    await this.#manual?.done.catch(() => undefined); // whoever asked for it is told
  }

  /**
   * Has a plan summarised and writes the result down. An aborted one leaves nothing behind.
   * @throws AgentError or Error in words for people.
   */
  async carryOut(plan: CompactionPlan, work: CompactionWork, signal: AbortSignal): Promise<CompactionResult> {
    this.#isWorking = true;
    try {
      const { hooks } = this.#options;
      const verdict = await hooks?.beforeCompaction(() => this.#describe(plan, work), signal);
      if (verdict?.kind === "refused") throw new AgentError("aborted", "Compaction cancelled");
      if (verdict?.kind === "supplied")
        return await this.#store({ ...verdict.compaction, ...MADE_BY_EXTENSION }, work, signal);
      const { text, usage } = await this.#summarize(plan, work, signal);
      this.#options.spent(usage);
      signal.throwIfAborted();
      const { firstKeptEntryId, tokensBefore } = plan;
      return await this.#store({ ...this.#keep(text, plan), firstKeptEntryId, tokensBefore, usage }, work, signal);
    } finally {
      this.#isWorking = false;
    }
  }

  /**
   * Tells extensions that a compaction failed.
   * @param prefix stands before the reason, in words for people.
   * @returns the failure as the event that ends the compaction tells it.
   */
  async fail(
    error: unknown,
    { reason, willRetry, prefix }: Omit<CompactionWork, "customInstructions"> & { prefix: string },
    signal: AbortSignal,
  ): Promise<CompactionFailure> {
    const failure: CompactionFailure = isCancelled(error, signal)
      ? { aborted: true }
      : { aborted: false, errorMessage: `${prefix}${errorMessage(error)}` };
    const fromExtension = error instanceof UnsavedSummary && error.isFromExtension;
    await this.#options.hooks?.compactionFailed({ reason, willRetry, fromExtension, ...failure }, signal);
    return failure;
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
      result = await this.carryOut(
        this.#planOrFail(),
        { reason: "manual", willRetry: false, customInstructions },
        signal,
      );
    } catch (error) {
      const failure = await this.fail(error, { ...end, prefix: "Compaction failed: " }, signal);
      await emit({ ...end, result: null, ...failure });
      throw failure.aborted ? new AgentError("aborted", "Compaction cancelled", { cause: error }) : error;
    }
    await emit({ ...end, result, aborted: false });
    return result;
  }

  /** Returns the model whose window counts. */
  #model(): Model | undefined {
    return this.#options.selection.measure(this.#options.conversation().messages);
  }

  #planOrFail(): CompactionPlan {
    requireSummarizer(this.#options);
    const plan = this.plan();
    if (plan !== undefined) return plan;
    if (isCompacted(this.#options.conversation().path())) throw new AgentError("invalid_request", "Already compacted");
    throw new AgentError("invalid_request", "Nothing to compact (session too small)");
  }

  #describe(plan: CompactionPlan, { reason, willRetry, customInstructions }: CompactionWork) {
    return {
      preparation: preparationOf(plan, { ...this.#options.settings, enabled: this.#options.isAutomatic() }),
      branchEntries: this.#options.conversation().rawPath(),
      reason,
      willRetry,
      ...(customInstructions === undefined ? {} : { customInstructions }),
    };
  }

  /** Puts what is kept word for word behind the notes. */
  #keep(notes: string, { files, older }: CompactionPlan): Pick<SuppliedCompaction, "summary" | "details"> {
    const { openTasks, canRecall } = this.#options;
    const tasks = openTasks().map((text): Fact => ({ kind: "task", text }));
    const kept = fitFacts([...collectFacts(older), ...tasks], this.#model()?.contextWindow ?? 0);
    const lists = fileLists(files);
    const summary = withFacts(withFileBlocks(notes, lists, fileReasons(older)), kept.facts, canRecall());
    return { summary, details: kept.facts.length === 0 ? lists : { ...lists, kept: kept.counts } };
  }

  async #summarize(
    plan: CompactionPlan,
    { reason, customInstructions }: CompactionWork,
    signal: AbortSignal,
  ): Promise<Summary> {
    const { emit, retry, settings } = this.#options;
    requireSummarizer(this.#options);
    const purpose = { source: "compaction", reason } as const;
    const options = { customInstructions, purpose, emit, retry: retry() };
    try {
      return await summarizeWith(
        this.#options,
        settings,
        (summarizer) => summarize(plan, { ...options, summarizer }, signal),
        signal,
      );
    } catch (error) {
      throw new Error(`Summarization failed: ${errorMessage(error)}`, { cause: error });
    }
  }

  async #store(
    compaction: SuppliedCompaction & Partial<typeof MADE_BY_EXTENSION>,
    { reason, willRetry }: CompactionWork,
    signal: AbortSignal,
  ): Promise<CompactionResult> {
    const conversation = this.#options.conversation();
    const { fromHook: fromExtension = false, fromExtension: _, ...result } = compaction;
    const compactionEntry = conversation.appendCompaction(compaction);
    this.#counted = undefined;
    if (compactionEntry === undefined) throw new UnsavedSummary(fromExtension);
    this.#options.changes("compaction");
    const estimatedTokensAfter = estimateTokens(conversation.sent);
    await this.#options.hooks?.compacted({ compactionEntry, fromExtension, reason, willRetry }, signal);
    return { ...result, estimatedTokensAfter };
  }
}

/** Returns a copy of a plan for extensions. */
function preparationOf(plan: CompactionPlan, settings: CompactionPreparation["settings"]): CompactionPreparation {
  const { firstKeptEntryId, tokensBefore, previousSummary, history, turnBeginning, files } = plan;
  return {
    firstKeptEntryId,
    messagesToSummarize: plainCopy(history),
    turnPrefixMessages: plainCopy(turnBeginning),
    isSplitTurn: turnBeginning.length > 0,
    tokensBefore,
    ...(previousSummary === undefined ? {} : { previousSummary }),
    fileOps: structuredClone(files),
    settings,
  };
}

/** A summary that could not be written. */
class UnsavedSummary extends Error {
  readonly isFromExtension: boolean;

  constructor(isFromExtension: boolean) {
    super("Couldn't save the summary.");
    this.isFromExtension = isFromExtension;
  }
}

/** True if a compaction failed because it was aborted or canceled. */
export function isCancelled(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted || (error instanceof AgentError && error.code === "aborted");
}
