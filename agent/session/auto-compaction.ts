import type { LowRunEnd } from "../loop/agent-loop.ts";
import type { Emit } from "../loop/loop-host.ts";
import type { CompactionResult } from "../protocol/compaction.ts";
import { errorMessage } from "../protocol/errors.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import { ProviderError } from "../providers/provider.ts";
import { type Compactor, type Fill, isCancelled } from "./compaction/compactor.ts";
import type { CompactionPlan } from "./compaction/plan.ts";
import type { PrunedResult } from "./pruned-results.ts";
import type { Shortening } from "./shortening.ts";

const ACTION = "context-full";
const SECOND_OVERFLOW =
  "Context overflow recovery failed after one compact-and-retry attempt. Try reducing context or switching to a larger-context model.";
const FAILED = { threshold: "Auto-compaction failed", overflow: "Context overflow recovery failed" } as const;

/** The action for a context that is too full. */
export type CompactionStep =
  /** Old tool results are left out of what is sent; no summary is needed. */
  | { kind: "prune"; willRetry: boolean; results: PrunedResult[] }
  | { kind: "compact"; reason: "threshold" | "overflow"; willRetry: boolean; plan: CompactionPlan }
  /** No summary helps: long messages are cut shorter in what is sent. */
  | { kind: "shorten"; willRetry: true }
  /** The context was too long again although it had been compacted. */
  | { kind: "giveUp"; willRetry: false };

interface AutoCompactionOptions {
  compactor: Compactor;
  shortening: Shortening;
  emit: Emit;
  isOn(): boolean;
  /** The most that the model of an answer can put out, in tokens; undefined when that is not known. */
  outputLimit(message: AssistantMessage): number | undefined;
  /** Returns the provider's count of the conversation's tokens; undefined if it can't count. */
  countTokens(signal: AbortSignal): Promise<number | undefined>;
}

/** The possible error of an estimate, as a factor: base64 and Chinese have more tokens than estimated, prose has fewer. */
const ESTIMATE_FACTOR = 2;

function roomOf({ contextWindow, reserveTokens }: Fill): number {
  return contextWindow - reserveTokens;
}

/** True if the error of the estimate decides whether the window is nearly full. */
function isUncertain(fill: Fill): boolean {
  const counted = fill.tokens - fill.estimated;
  const room = roomOf(fill);
  return counted + fill.estimated / ESTIMATE_FACTOR <= room && counted + fill.estimated * ESTIMATE_FACTOR > room;
}

/** Keeps the context of one run below the model's window: when it fills up, and once when a request did not fit. */
export class AutoCompaction {
  readonly #options: AutoCompactionOptions;
  #hasRecovered = false;
  /** A failed try is not repeated at every turn: it would cost as much again. */
  #hasFailed = false;
  #cannotCount = false;

  constructor(options: AutoCompactionOptions) {
    this.#options = options;
  }

  /** Makes room if the window is nearly full; for places where the run goes on in any case. */
  async makeRoom(signal: AbortSignal): Promise<void> {
    if (!this.#options.isOn() || this.#hasFailed || signal.aborted) return;
    await this.#count(signal);
    const fill = this.#options.compactor.fill();
    if (fill === undefined || signal.aborted || fill.tokens <= roomOf(fill)) return;
    const step = this.#step("threshold", false);
    if (step !== undefined) await this.carryOut(step, signal);
  }

  /** Asks the provider for a count if the estimate could be wrong about whether the window is nearly full. */
  async #count(signal: AbortSignal): Promise<void> {
    const { compactor, countTokens } = this.#options;
    const fill = compactor.fill();
    if (fill === undefined || this.#cannotCount || !isUncertain(fill)) return;
    const tokens = await countTokens(signal);
    if (tokens === undefined) this.#cannotCount = true;
    else compactor.noteCount(tokens);
  }

  /** The action after a low run; undefined if there is room, or if nothing can be summarized. */
  stepAfter(end: LowRunEnd): CompactionStep | undefined {
    if (!this.#options.isOn() || end.kind === "aborted" || end.kind === "interrupted") return undefined;
    if (this.#isOverflow(end)) return this.#overflowStep(end.kind === "failed");
    const fill = end.kind === "done" ? this.#options.compactor.fill() : undefined;
    if (fill === undefined) return undefined;
    if (fill.tokens > fill.contextWindow) return this.#step("overflow", false);
    return fill.tokens > roomOf(fill) ? this.#step("threshold", false) : undefined;
  }

  /** Does the step, with its events. @returns whether the request that did not fit can be made again. */
  async carryOut(step: CompactionStep, signal: AbortSignal): Promise<boolean> {
    const { emit, compactor, shortening } = this.#options;
    if (step.kind === "prune") return (await compactor.prune(step.results)) && step.willRetry;
    if (step.kind === "shorten") return shortening.shorten();
    const reason = step.kind === "giveUp" ? "overflow" : step.reason;
    await emit({ type: "compaction_start", reason });
    await emit({ type: "auto_compaction_start", reason, action: ACTION });
    let result: CompactionResult | undefined;
    let failure: string | undefined;
    if (step.kind === "giveUp") {
      failure = SECOND_OVERFLOW;
    } else {
      this.#hasRecovered ||= step.willRetry;
      try {
        result = await compactor.carryOut(step.plan, { reason, willRetry: step.willRetry }, signal);
      } catch (error) {
        if (!isCancelled(error, signal)) failure = `${FAILED[reason]}: ${errorMessage(error)}`;
      }
    }
    this.#hasFailed ||= failure !== undefined;
    const isShortened = failure !== undefined && step.willRetry && shortening.shorten();
    const end = {
      aborted: result === undefined && failure === undefined,
      willRetry: (result !== undefined && step.willRetry) || isShortened,
      ...(failure === undefined ? {} : { errorMessage: failure }),
    };
    await emit({ type: "auto_compaction_end", action: ACTION, ...(result === undefined ? {} : { result }), ...end });
    await emit({ type: "compaction_end", reason, result: result ?? null, ...end });
    return end.willRetry;
  }

  /** A summary comes first, once; after that, long messages are cut. */
  #overflowStep(hasFailed: boolean): CompactionStep | undefined {
    const step = this.#hasRecovered ? undefined : this.#step("overflow", true);
    if (step !== undefined) return step;
    if (hasFailed && this.#options.shortening.isPossible()) return { kind: "shorten", willRetry: true };
    return this.#hasRecovered ? { kind: "giveUp", willRetry: false } : undefined;
  }

  #step(reason: "threshold" | "overflow", willRetry: boolean): CompactionStep | undefined {
    const { compactor } = this.#options;
    const results = compactor.planPruning(reason === "overflow");
    if (results !== undefined) return { kind: "prune", willRetry, results };
    const plan = compactor.plan();
    return plan === undefined ? undefined : { kind: "compact", reason, willRetry, plan };
  }

  /** True if the request did not fit, or left the model less room for its answer than it has by itself. */
  #isOverflow(end: Extract<LowRunEnd, { kind: "done" | "failed" }>): boolean {
    if (end.kind === "failed") return end.error instanceof ProviderError && end.error.kind === "context_overflow";
    const last = end.messages.findLast((message) => message.role === "assistant");
    if (last?.role !== "assistant" || last.stopReason !== "length") return false;
    const limit = this.#options.outputLimit(last);
    return limit !== undefined && last.usage.output > 0 && last.usage.output < limit;
  }
}
