import type { Settings } from "../config/settings.ts";
import { runLowRun } from "../loop/agent-loop.ts";
import type { Delivery, LoopHost, RequestSettings, TurnOutcome } from "../loop/loop-host.ts";
import type { AssistantMessage } from "../protocol/messages.ts";
import type { ModelMatch } from "../providers/match-models.ts";
import { deferred } from "../util/deferred.ts";
import type { AutoCompaction } from "./auto-compaction.ts";
import type { ModelFallback } from "./model-fallback.ts";
import type { PlanReminder } from "./plan-reminder.ts";
import { retryDelay, waitUnlessAborted } from "./retry.ts";
import type { RunLimits } from "./run-limits.ts";
import type { StreamRules } from "./stream-rules.ts";

/** The environment of a run. */
export interface RunOptions {
  host: Omit<LoopHost, "hasQueued" | "betweenTurns" | "route">;
  compaction: AutoCompaction;
  reminder: PlanReminder;
  rules: Pick<StreamRules, "injection">;
  limits: RunLimits | undefined;
  opening: readonly Delivery[];
  /** The failed response that the run asks for again. */
  failed?: AssistantMessage | undefined;
  /** As in the loop's host; `failed` is the response that is asked for again. */
  route(
    settings: RequestSettings,
    failed: AssistantMessage | undefined,
    signal: AbortSignal,
  ): Promise<RequestSettings> | undefined;
  /** Additions to the opening. */
  openingAdditions(signal: AbortSignal): Promise<Delivery[]>;
  retry(): Settings["retry"];
  fallback: ModelFallback;
  /** Messages that arrived after the last low run ended. */
  takeQueued(): Delivery[];
  hasQueued(): boolean;
  /** Work that the first request needs; it runs before everything else. */
  beforeStarted(): Promise<unknown>;
  /** Work between two turns, before anything is taken for the next one. */
  betweenTurns(): Promise<void>;
  /** Called when nothing is left to do. @returns true if another request must follow. */
  beforeSettle(outcome: TurnOutcome, signal: AbortSignal): Promise<boolean>;
  /** Work that waited for the end of the run; it runs before `agent_settled`. */
  beforeSettled(): void;
}

/**
 * One run: from an accepted prompt to `agent_settled`. It consists of one or more low runs, with waits for retries
 * between them, and always ends with exactly one `agent_settled`.
 */
export class Run {
  readonly #options: RunOptions;
  readonly #abort = new AbortController();
  #retryWait: AbortController | undefined;
  #attempt = 0;
  #isActive = true;
  /** The failed response, until it is asked for again. */
  #failed: AssistantMessage | undefined;
  #outcome: TurnOutcome = "completed";
  /** True if queued messages belong to this run. */
  #takesQueued = false;
  readonly #settled = deferred<void>();
  #done: Promise<void> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#failed = options.failed;
  }

  get isActive(): boolean {
    return this.#isActive;
  }

  get isRetrying(): boolean {
    return this.#retryWait !== undefined;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Resolves after `agent_settled`. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Begins the run. Called once, after the response to the prompt. Resolves after `agent_settled`. */
  begin(): Promise<void> {
    this.#done ??= this.#run();
    return this.settled;
  }

  /**
   * Ends the run as soon as its parts stop. Resolves after `agent_settled`, which never comes before the response to
   * the prompt.
   */
  async abort(): Promise<void> {
    this.#abort.abort();
    await this.#settled.promise;
  }

  /** Ends the wait before a retry. @returns whether there was one. */
  cancelRetry(): boolean {
    const isWaiting = this.#retryWait !== undefined;
    this.#retryWait?.abort();
    return isWaiting;
  }

  async #run(): Promise<void> {
    const { host } = this.#options;
    try {
      if (!this.#abort.signal.aborted) await this.#lowRuns();
    } finally {
      this.#options.beforeSettled();
      this.#isActive = false;
      await host.emit({ type: "agent_settled", aborted: this.#abort.signal.aborted });
      this.#settled.resolve();
    }
  }

  async #lowRuns(): Promise<void> {
    let opening: readonly Delivery[] | undefined = this.#options.opening;
    await this.#options.beforeStarted();
    await this.#options.compaction.makeRoom(this.#abort.signal);
    if (this.#abort.signal.aborted) return;
    const added = await this.#options.openingAdditions(this.#abort.signal);
    if (this.#abort.signal.aborted) return;
    if (added.length > 0) opening = [...this.#options.opening, ...added];
    while (opening !== undefined && !this.#abort.signal.aborted) {
      opening = (await this.#lowRun(opening)) ?? (await this.#beforeSettle());
      if (opening !== undefined) this.#endAtLimit();
    }
  }

  /** @returns what opens the next low run; undefined when the run is over. */
  async #lowRun(opening: readonly Delivery[]): Promise<readonly Delivery[] | undefined> {
    const { host, compaction, reminder, rules, fallback } = this.#options;
    const end = await runLowRun(this.#lowRunHost(), opening, this.#abort.signal);
    this.#outcome = end.kind === "failed" ? "error" : "completed";
    this.#failed = end.kind === "failed" ? end.message : undefined;
    const delayMs = end.kind === "failed" ? this.#nextDelay(end.error) : undefined;
    const step = delayMs === undefined ? compaction.stepAfter(end) : undefined;
    const next = end.kind === "failed" && delayMs === undefined ? fallback.find(end.error) : undefined;
    const takesQueued = end.kind === "done" && step?.kind !== "giveUp";
    this.#takesQueued = takesQueued;
    await host.emit({
      type: "agent_end",
      messages: end.messages,
      willRetry: delayMs !== undefined,
      willContinue:
        end.kind === "interrupted" ||
        next !== undefined ||
        step?.willRetry === true ||
        (takesQueued && (this.#options.hasQueued() || reminder.isDueAfter(end))),
    });
    if (end.kind === "failed") {
      if (delayMs !== undefined) return (await this.#waitToRetry(delayMs, end.message)) ? [] : undefined;
      if (step?.willRetry !== true) await this.#endRetries(end.message.errorMessage ?? "Unknown error");
      if (next !== undefined) return this.#fallBack(next, end.message);
    }
    const isRepaired = step !== undefined && (await compaction.carryOut(step, this.#abort.signal));
    if (isRepaired && !this.#abort.signal.aborted) return [];
    if (end.kind === "failed") await this.#endRetries(end.message.errorMessage ?? "Unknown error");
    if (this.#abort.signal.aborted) return undefined;
    if (end.kind === "interrupted") return rules.injection(end.rules);
    if (!takesQueued) return undefined;
    const queued = this.#options.takeQueued();
    if (queued.length > 0) return queued;
    return reminder.isDueAfter(end) ? reminder.remind() : undefined;
  }

  /** Asks extensions whether the run continues. @returns the same as `#lowRun`. */
  async #beforeSettle(): Promise<readonly Delivery[] | undefined> {
    const { signal } = this.#abort;
    if (signal.aborted) return undefined;
    this.#failed = undefined;
    const wantsMore = await this.#options.beforeSettle(this.#outcome, signal);
    if (signal.aborted) return undefined;
    if (!wantsMore && !(this.#takesQueued && this.#options.hasQueued())) return undefined;
    await this.#options.compaction.makeRoom(signal);
    return this.#options.takeQueued();
  }

  /** Goes on with another model, whose window may be smaller. */
  async #fallBack(
    next: ModelMatch,
    { errorMessage = "Unknown error" }: AssistantMessage,
  ): Promise<readonly Delivery[]> {
    await this.#options.fallback.goOn(next, errorMessage);
    await this.#options.compaction.makeRoom(this.#abort.signal);
    return [];
  }

  #endAtLimit(): void {
    if (this.#options.limits?.reached !== undefined) this.#abort.abort();
  }

  #nextDelay(error: unknown): number | undefined {
    const settings = this.#options.retry();
    return settings.enabled ? retryDelay(error, this.#attempt + 1, settings) : undefined;
  }

  async #waitToRetry(delayMs: number, { errorMessage = "Unknown error" }: AssistantMessage): Promise<boolean> {
    this.#attempt++;
    this.#retryWait = new AbortController();
    const { maxRetries } = this.#options.retry();
    await this.#options.host.emit({
      type: "auto_retry_start",
      attempt: this.#attempt,
      maxAttempts: maxRetries,
      delayMs,
      errorMessage,
    });
    const isDue = await waitUnlessAborted(delayMs, AbortSignal.any([this.#abort.signal, this.#retryWait.signal]));
    this.#retryWait = undefined;
    if (!isDue) await this.#endRetries("Retry cancelled", true);
    return isDue;
  }

  async #endRetries(finalError: string, isAborted = false): Promise<void> {
    if (this.#attempt === 0) return;
    const attempt = this.#attempt;
    this.#attempt = 0;
    const aborted = isAborted ? { aborted: true } : {};
    await this.#options.host.emit({ type: "auto_retry_end", success: false, attempt, finalError, ...aborted });
  }

  /** Has a virtual model choose, and makes room if the chosen one has less. */
  #route(settings: RequestSettings, signal: AbortSignal): Promise<RequestSettings> | undefined {
    const failed = this.#failed;
    this.#failed = undefined;
    return this.#options.route(settings, failed, signal)?.then(async (routed) => {
      await this.#options.compaction.makeRoom(signal);
      return routed;
    });
  }

  /**
   * Returns the host with additions of the run: it notices the first response without an error after a retry, and
   * compacts between turns.
   */
  #lowRunHost(): LoopHost {
    const { host, hasQueued, compaction, limits, betweenTurns } = this.#options;
    return {
      ...host,
      hasQueued,
      route: (settings, signal) => this.#route(settings, signal),
      betweenTurns: async (signal) => {
        this.#endAtLimit();
        if (!signal.aborted) await compaction.makeRoom(signal);
        this.#endAtLimit(); // a summary costs too
        if (!signal.aborted) await betweenTurns();
      },
      keep: async (message) => {
        const kept = await host.keep(message);
        limits?.count(kept);
        if (this.#attempt > 0 && kept.role === "assistant" && kept.stopReason !== "error") {
          const attempt = this.#attempt;
          this.#attempt = 0;
          await host.emit({ type: "auto_retry_end", success: true, attempt });
        }
        return kept;
      },
    };
  }
}
