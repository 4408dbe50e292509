import type { FileOperations } from "../../extensions/session-events.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { entryMessages } from "../context.ts";
import { askForSummary, type Summary, type SummaryOptions, transcriptLimit } from "./ask-for-summary.ts";
import { FileLists, fileLists, fileOperations, withFileBlocks } from "./file-lists.ts";
import { branchRequest } from "./request-text.ts";
import { writeTranscript } from "./transcript.ts";

/** The input of a branch summary. */
export interface BranchPlan {
  messages: AgentMessage[];
  files: FileOperations;
}

/** Takes from entries what there is to summarise. @returns undefined when the model has seen none of it. */
export function planBranch(entries: readonly KnownSessionEntry[]): BranchPlan | undefined {
  const messages = entries.flatMap(entryMessages);
  if (messages.length === 0) return undefined;
  const before = entries.flatMap((entry) => {
    if (entry.type !== "branch_summary" && entry.type !== "compaction") return [];
    const lists = FileLists.safeParse(entry.details);
    return lists.success ? [lists.data] : [];
  });
  return { messages, files: fileOperations(messages, before) };
}

/**
 * Has a branch summarised; of a long one the oldest messages are left out. Transient failures are tried again.
 * @throws whatever the last attempt failed with.
 */
export async function summarizeBranch(
  plan: BranchPlan,
  options: SummaryOptions & { replaceInstructions: boolean },
  signal: AbortSignal,
): Promise<Summary> {
  const { summarizer, customInstructions, replaceInstructions } = options;
  const transcript = writeTranscript(plan.messages, transcriptLimit(summarizer));
  const { text, usage } = await askForSummary(
    branchRequest({ transcript, customInstructions, replaceInstructions }),
    options,
    signal,
  );
  return { text: withFileBlocks(text, fileLists(plan.files)), usage };
}
