import type { Settings } from "../../config/settings.ts";
import type { Emit } from "../../loop/loop-host.ts";
import { MessageBuilder } from "../../loop/message-builder.ts";
import type { CompactionReason } from "../../protocol/compaction.ts";
import { errorMessage } from "../../protocol/errors.ts";
import type { Model, Usage } from "../../protocol/model.ts";
import { ZERO_USAGE } from "../../providers/cost.ts";
import { type Provider, ProviderError, type ProviderRequest } from "../../providers/provider.ts";
import { retryDelay, waitUnlessAborted } from "../retry.ts";
import { CHARACTERS_PER_TOKEN } from "../token-count.ts";
import { withFileBlocks } from "./file-lists.ts";
import type { CompactionPlan } from "./plan.ts";
import { historyRequest, SUMMARY_SYSTEM_PROMPT, turnRequest } from "./request-text.ts";
import { writeTranscript } from "./transcript.ts";

const SPLIT_TURN_LINE = "**Turn Context (split turn):**";
/** The rest of the reserve is left to what is not counted: the request's own words, and the estimate's error. */
const OUTPUT_SHARE = 0.8;

/** The model that summarises, and the limits of its requests. */
export interface Summarizer {
  provider: Provider;
  apiKey: string | undefined;
  model: Model;
  thinkingLevel: ProviderRequest["thinkingLevel"];
  reserveTokens: number;
}

interface SummaryOptions {
  summarizer: Summarizer;
  customInstructions: string | undefined;
  reason: CompactionReason;
  emit: Emit;
  retry: Settings["retry"];
}

/** A summary and what it cost. */
export interface Summary {
  text: string;
  usage: Usage;
}

/**
 * Has the messages of a plan summarised: history first, then the beginning of a split turn. Transient failures are tried again.
 * @throws whatever the last attempt failed with.
 */
export async function summarize(plan: CompactionPlan, options: SummaryOptions, signal: AbortSignal): Promise<Summary> {
  const { summarizer, customInstructions } = options;
  const { previousSummary } = plan;
  const ask = (prompt: string) => withRetries(() => askForText(prompt, summarizer, signal), options, signal);
  const maxCharacters = transcriptLimit(summarizer, previousSummary);
  const parts: string[] = [];
  const usages: Usage[] = [];
  if (plan.history.length > 0) {
    const transcript = writeTranscript(plan.history, maxCharacters);
    const answer = await ask(historyRequest({ transcript, previousSummary, customInstructions }));
    parts.push(answer.text);
    usages.push(answer.usage);
  } else if (previousSummary !== undefined) {
    parts.push(previousSummary);
  }
  if (plan.turnBeginning.length > 0) {
    const answer = await ask(turnRequest(writeTranscript(plan.turnBeginning, maxCharacters), customInstructions));
    parts.push(`${SPLIT_TURN_LINE}\n\n${answer.text}`);
    usages.push(answer.usage);
  }
  return { text: withFileBlocks(parts.join("\n\n"), plan.files), usage: usages.reduce(addUsage, ZERO_USAGE) };
}

function outputLimit({ reserveTokens, model }: Summarizer): number {
  return Math.max(1, Math.min(Math.floor(OUTPUT_SHARE * reserveTokens), model.maxTokens));
}

/** How long a transcript may be so that the request fits into the window. */
function transcriptLimit({ model, reserveTokens }: Summarizer, previousSummary = ""): number {
  return Math.max(1, (model.contextWindow - reserveTokens) * CHARACTERS_PER_TOKEN - previousSummary.length);
}

async function askForText(
  prompt: string,
  summarizer: Summarizer,
  signal: AbortSignal,
): Promise<{ text: string; usage: Usage }> {
  const { provider, apiKey, model, thinkingLevel } = summarizer;
  const builder = new MessageBuilder(model, thinkingLevel);
  const stream = provider.stream({
    model,
    systemPrompt: SUMMARY_SYSTEM_PROMPT,
    messages: [{ role: "user", content: [{ type: "text", text: prompt }], timestamp: Date.now() }],
    tools: [],
    thinkingLevel,
    apiKey,
    maxTokens: outputLimit(summarizer),
    signal,
  });
  for await (const events of stream) {
    for (const event of events) builder.apply(event);
    signal.throwIfAborted();
  }
  if (!builder.isComplete) {
    throw new ProviderError("network", "The connection to the model was lost in the middle of the summary.");
  }
  const { content, usage } = builder.finished();
  const text = content
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("")
    .trim();
  if (text === "") throw new Error("The model gave no summary. Try again, or choose another model.");
  return { text, usage };
}

async function withRetries<T>(
  attempt: () => Promise<T>,
  { emit, retry, reason }: SummaryOptions,
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
    await emit({ type: "summarization_retry_attempt_start", source: "compaction", reason });
    return true;
  }
}

function addUsage(sum: Usage, usage: Usage): Usage {
  return {
    input: sum.input + usage.input,
    output: sum.output + usage.output,
    cacheRead: sum.cacheRead + usage.cacheRead,
    cacheWrite: sum.cacheWrite + usage.cacheWrite,
    totalTokens: sum.totalTokens + usage.totalTokens,
    ...(sum.reasoning === undefined && usage.reasoning === undefined
      ? {}
      : { reasoning: (sum.reasoning ?? 0) + (usage.reasoning ?? 0) }),
    cost: {
      input: sum.cost.input + usage.cost.input,
      output: sum.cost.output + usage.cost.output,
      cacheRead: sum.cost.cacheRead + usage.cost.cacheRead,
      cacheWrite: sum.cost.cacheWrite + usage.cost.cacheWrite,
      total: sum.cost.total + usage.cost.total,
    },
  };
}
