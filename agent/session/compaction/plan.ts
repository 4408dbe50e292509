import type { Settings } from "../../config/settings.ts";
import type { FileOperations } from "../../extensions/session-events.ts";
import type { AgentMessage } from "../../protocol/messages.ts";
import type { CompactionEntry, KnownSessionEntry } from "../../protocol/session-entries.ts";
import { buildContext, entryMessages } from "../context.ts";
import { editedMessage, editsOf } from "../context-edits.ts";
import { withNotes } from "../pruned-results.ts";
import { contextTokens } from "../token-count.ts";
import { findCut, type PathMessage } from "./cut.ts";
import { withoutFacts } from "./facts-block.ts";
import { FileLists, fileOperations, withoutFileBlocks } from "./file-lists.ts";

/** The plan of a compaction. */
export interface CompactionPlan {
  /** The oldest entry that stays as it is. */
  firstKeptEntryId: string;
  tokensBefore: number;
  /** The summary of an earlier compaction, without its file lists and facts. */
  previousSummary: string | undefined;
  /** Messages to summarise, older than the turn that the cut goes through. */
  history: AgentMessage[];
  /** The beginning of that turn; empty when the cut lies between two turns. */
  turnBeginning: AgentMessage[];
  files: FileOperations;
  /** All entries of the path before `firstKeptEntryId`, also those that earlier compactions replaced. */
  older: KnownSessionEntry[];
}

/** The reserve in the context window, and the amount of recent messages to keep. */
export type CompactionLimits = Pick<Settings["compaction"], "reserveTokens" | "keepRecentTokens">;

/**
 * The limits for a model's window. Where the settings ask for more than the window has, so that no compaction could ever make room, half of
 * it is reserved and half of what remains is kept.
 */
export function limitsFor(settings: CompactionLimits, contextWindow: number): CompactionLimits {
  const half = (tokens: number) => Math.floor(tokens / 2);
  const reserveTokens = settings.reserveTokens < contextWindow ? settings.reserveTokens : half(contextWindow);
  const room = contextWindow - reserveTokens;
  const keepRecentTokens = settings.keepRecentTokens < room ? settings.keepRecentTokens : half(room);
  return { reserveTokens, keepRecentTokens };
}

/** True if nothing came after the last compaction. */
export function isCompacted(path: readonly KnownSessionEntry[]): boolean {
  return path.at(-1)?.type === "compaction";
}

/**
 * Decides what of a path is to be summarised: the messages between the border of the last compaction and a new cut.
 * @returns undefined when there is too little, or nothing new.
 */
export function planCompaction(
  path: readonly KnownSessionEntry[],
  { keepRecentTokens }: Pick<CompactionLimits, "keepRecentTokens">,
): CompactionPlan | undefined {
  if (isCompacted(path)) return undefined;
  const { messages, freshFrom, pruned } = buildContext(path);
  const previous = path.findLast((entry) => entry.type === "compaction");
  const open = openMessages(path, previous);
  const cut = findCut(open, keepRecentTokens);
  const firstKept = cut === undefined ? undefined : open[cut.at];
  if (cut === undefined || firstKept === undefined) return undefined;
  const summarised = open.slice(0, cut.at).map(({ message }) => message);
  return {
    firstKeptEntryId: firstKept.entryId,
    tokensBefore: contextTokens(withNotes(messages, pruned), freshFrom),
    previousSummary: previous === undefined ? undefined : withoutFileBlocks(withoutFacts(previous.summary)),
    history: summarised.slice(0, cut.turnStart),
    turnBeginning: summarised.slice(cut.turnStart),
    files: fileOperations(summarised, filesOf(previous)),
    older: path.slice(
      0,
      path.findIndex(({ id }) => id === firstKept.entryId),
    ),
  };
}

function filesOf(previous: CompactionEntry | undefined): FileLists[] {
  const lists = FileLists.safeParse(previous?.details);
  return lists.success ? [lists.data] : [];
}

/** The messages that no compaction has summarised yet. */
function openMessages(path: readonly KnownSessionEntry[], previous: CompactionEntry | undefined): PathMessage[] {
  const compactedAt = previous === undefined ? -1 : path.lastIndexOf(previous);
  const keptFrom = path.findIndex(({ id }) => id === previous?.firstKeptEntryId);
  const edits = editsOf(path);
  const from = keptFrom === -1 || keptFrom > compactedAt ? compactedAt + 1 : keptFrom;
  return path
    .slice(from)
    .filter((entry) => entry.type !== "compaction")
    .flatMap((entry) => {
      const messages = entryMessages(entry);
      const edit = edits.get(entry.id);
      const seen = edit === undefined ? messages : messages.flatMap((message) => editedMessage(message, edit) ?? []);
      return seen.map((message) => ({ entryId: entry.id, message }));
    });
}
