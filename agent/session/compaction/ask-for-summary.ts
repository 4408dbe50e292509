import type { Settings } from "../../config/settings.ts";
import type { Emit } from "../../loop/loop-host.ts";
import type { CompactionReason } from "../../protocol/compaction.ts";
import { errorMessage } from "../../protocol/errors.ts";
import { CHARACTERS_PER_TOKEN } from "../../util/token-estimate.ts";
import { type Answer, type AskedModel, askOnce } from "../ask-once.ts";
import { retryDelay, waitUnlessAborted } from "../retry.ts";
import { SUMMARY_SYSTEM_PROMPT } from "./request-text.ts";

/** The rest of the reserve is left to what is not counted: the request's own words, and the estimate's error. */
const OUTPUT_SHARE = 0.8;

/** The model that summarises, and the limits of its requests. */
export interface Summarizer extends AskedModel {
  reserveTokens: number;
}

/** Options for requesting a summary. */
export interface SummaryOptions {
  summarizer: Summarizer;
  customInstructions: string | undefined;
  /** The purpose of the summary, for the events about retries. */
  purpose: { source: "compaction"; reason: CompactionReason } | { source: "branchSummary" };
  emit: Emit;
  retry: Settings["retry"];
}

/** A summary and what it cost. */
export type Summary = Answer;

/**
 * Asks the model for a summary. Transient failures are tried again.
 * @throws whatever the last attempt failed with.
 */
export function askForSummary(prompt: string, options: SummaryOptions, signal: AbortSignal): Promise<Summary> {
  return withRetries(() => askForText(prompt, options.summarizer, signal), options, signal);
}

function outputLimit({ reserveTokens, model }: Summarizer): number {
  return Math.max(1, Math.min(Math.floor(OUTPUT_SHARE * reserveTokens), model.maxTokens));
}

/** Returns the maximum length of a transcript, in characters, so that the request fits into the context window. */
export function transcriptLimit({ model, reserveTokens }: Summarizer, previousSummary = ""): number {
  return Math.max(1, (model.contextWindow - reserveTokens) * CHARACTERS_PER_TOKEN - previousSummary.length);
}

async function askForText(prompt: string, summarizer: Summarizer, signal: AbortSignal): Promise<Summary> {
  const question = { prompt, systemPrompt: SUMMARY_SYSTEM_PROMPT, maxTokens: outputLimit(summarizer) };
  const answer = await askOnce(question, summarizer, signal);
  if (answer.text === "") throw new Error("The model returned no summary. Try again, or select another model.");
  return answer;
}

async function withRetries<T>(
  attempt: () => Promise<T>,
  { emit, retry, purpose }: SummaryOptions,
  signal: AbortSignal,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      const result = await attempt();
      if (failures > 0) await emit({ type: "summarization_retry_finished" });
      return result;
    } catch (error) {
      failures++;
      const delayMs = retry.enabled && !signal.aborted ? retryDelay(error, failures, retry) : undefined;
      const isDue = delayMs !== undefined && (await announceAndWait(delayMs, failures, error));
      if (isDue) continue;
      if (failures > 1 || delayMs !== undefined) await emit({ type: "summarization_retry_finished" });
      throw error;
    }
  }

  async function announceAndWait(delayMs: number, failures: number, error: unknown): Promise<boolean> {
    await emit({
      type: "summarization_retry_scheduled",
      attempt: failures,
      maxAttempts: retry.maxRetries,
      delayMs,
      errorMessage: errorMessage(error),
    });
    if (!(await waitUnlessAborted(delayMs, signal))) return false;
    await emit({ type: "summarization_retry_attempt_start", ...purpose });
    return true;
  }
}
