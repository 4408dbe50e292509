import type { AgentMessage } from "../../protocol/messages.ts";
import type { Usage } from "../../protocol/model.ts";
import { addUsage, ZERO_USAGE } from "../../providers/cost.ts";
import { ProviderError } from "../../providers/provider.ts";
import { askForSummary, type Summary, type SummaryOptions, transcriptLimit } from "./ask-for-summary.ts";
import type { CompactionPlan } from "./plan.ts";
import { historyRequest, turnRequest } from "./request-text.ts";
import { writeTranscript } from "./transcript.ts";

/** A summary is asked with at least this part of what is usual, as one of so many parts. */
const MAX_PARTS = 8;
const SPLIT_TURN_LINE = "**Turn Context (split turn):**";

/**
 * Has the messages of a plan summarised: history first, then the beginning of a split turn. Transient failures are tried again.
 * @throws whatever the last attempt failed with.
 */
export async function summarize(plan: CompactionPlan, options: SummaryOptions, signal: AbortSignal): Promise<Summary> {
  const { summarizer, customInstructions } = options;
  const { previousSummary } = plan;
  const ask = (messages: readonly AgentMessage[], toPrompt: (transcript: string) => string) =>
    askWithin(maxCharacters, (limit) => askForSummary(toPrompt(writeTranscript(messages, limit)), options, signal));
  const maxCharacters = transcriptLimit(summarizer, previousSummary);
  const parts: string[] = [];
  const usages: Usage[] = [];
  if (plan.history.length > 0) {
    const answer = await ask(plan.history, (transcript) =>
      historyRequest({ transcript, previousSummary, customInstructions }),
    );
    parts.push(answer.text);
    usages.push(answer.usage);
  } else if (previousSummary !== undefined) {
    parts.push(previousSummary);
  }
  if (plan.turnBeginning.length > 0) {
    const answer = await ask(plan.turnBeginning, (transcript) => turnRequest(transcript, customInstructions));
    parts.push(`${SPLIT_TURN_LINE}\n\n${answer.text}`);
    usages.push(answer.usage);
  }
  return {
    text: parts.join("\n\n"),
    usage: usages.reduce(addUsage, ZERO_USAGE),
  };
}

/** Asks with half as much as long as the request does not fit: texts may have more tokens than their length says. */
async function askWithin(maxCharacters: number, ask: (limit: number) => Promise<Summary>): Promise<Summary> {
  for (let limit = maxCharacters; ; limit = Math.floor(limit / 2)) {
    try {
      return await ask(limit);
    } catch (error) {
      const isTooLong = error instanceof ProviderError && error.kind === "context_overflow";
      if (!isTooLong || limit * MAX_PARTS <= maxCharacters) throw error;
    }
  }
}
