import type { Usage } from "../../protocol/model.ts";
import { ZERO_USAGE } from "../../providers/cost.ts";
import { askForSummary, type Summary, type SummaryOptions, transcriptLimit } from "./ask-for-summary.ts";
import type { CompactionPlan } from "./plan.ts";
import { historyRequest, turnRequest } from "./request-text.ts";
import { writeTranscript } from "./transcript.ts";

const SPLIT_TURN_LINE = "**Turn Context (split turn):**";

/**
 * Has the messages of a plan summarised: history first, then the beginning of a split turn. Transient failures are tried again.
 * @throws whatever the last attempt failed with.
 */
export async function summarize(plan: CompactionPlan, options: SummaryOptions, signal: AbortSignal): Promise<Summary> {
  const { summarizer, customInstructions } = options;
  const { previousSummary } = plan;
  const ask = (prompt: string) => askForSummary(prompt, options, signal);
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
  return {
    text: parts.join("\n\n"),
    usage: usages.reduce(addUsage, ZERO_USAGE),
  };
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
