import type { ToolCall } from "../../protocol/content.ts";
import type { ToolResultMessage } from "../../protocol/messages.ts";
import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { plainName } from "../../tools/tool-names.ts";
import { estimateTokens } from "../../util/token-estimate.ts";
import { contextEntries } from "../context.ts";
import { type PrunedResult, prunedNotes } from "../pruned-results.ts";
import { readPath } from "./file-lists.ts";

/** A smaller result is not worth a note. */
const MIN_TOKENS = 250;
/** The number of newest turns whose results are always sent. */
const KEPT_TURNS = 3;
/** The part of the room to which the context shrinks, so that it takes long until the cached prefix changes again. */
const WANTED_FILL = 0.6;
/** If more would remain, pruning is not enough. */
const MAX_FILL = 0.8;

/** The state of the context, in tokens. */
export interface PruningNeed {
  tokens: number;
  /** The part of the context window that may be filled. */
  room: number;
  keepRecentTokens: number;
  /** True if the model can call `recall`. */
  canRecall: boolean;
}

interface Candidate {
  entryId: string;
  result: ToolResultMessage;
  call: ToolCall | undefined;
  tokens: number;
}

/**
 * Selects old tool results to prune, the largest first, until enough room is made. All of them are pruned at once.
 * @returns undefined when that would not be enough.
 */
export function planPruning(path: readonly KnownSessionEntry[], need: PruningNeed): PrunedResult[] | undefined {
  let tokens = need.tokens;
  const chosen: Candidate[] = [];
  for (const candidate of candidates(path, need.keepRecentTokens).sort((a, b) => b.tokens - a.tokens)) {
    if (tokens <= need.room * WANTED_FILL) break;
    chosen.push(candidate);
    tokens -= candidate.tokens;
  }
  if (chosen.length === 0 || tokens > need.room * MAX_FILL) return undefined;
  return chosen.map((candidate) => ({ entryId: candidate.entryId, note: noteFor(candidate, need.canRecall) }));
}

/** Returns the results that may be pruned, the oldest first. */
function candidates(path: readonly KnownSessionEntry[], keepRecentTokens: number): Candidate[] {
  const pruned = prunedNotes(path);
  const { entries } = contextEntries(path);
  const calls = new Map<string, ToolCall>();
  const found: Candidate[] = [];
  for (const entry of entries.slice(0, oldCount(entries, keepRecentTokens))) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") {
      for (const block of message.content) if (block.type === "toolCall") calls.set(block.id, block);
    }
    if (message.role !== "toolResult" || pruned.has(message)) continue;
    const tokens = estimateTokens([message]);
    if (tokens >= MIN_TOKENS)
      found.push({ entryId: entry.id, result: message, call: calls.get(message.toolCallId), tokens });
  }
  return found;
}

/** Returns how many of the entries are neither among the newest turns nor among the newest tokens. */
function oldCount(entries: readonly KnownSessionEntry[], keepRecentTokens: number): number {
  let turns = 0;
  let tokens = 0;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.type !== "message") continue;
    tokens += estimateTokens([entry.message]);
    if (entry.message.role === "assistant") turns++;
    if (turns >= KEPT_TURNS && tokens >= keepRecentTokens) return at;
  }
  return 0;
}

function noteFor({ entryId, result, call }: Candidate, canRecall: boolean): string {
  const path = call === undefined ? undefined : readPath(call);
  const ways = [
    ...(path === undefined ? [] : [`read ${path} again`]),
    ...(canRecall && canBeRecalled(result) ? [`call recall with entry "${entryId}"`] : []),
  ];
  const way = ways.length === 0 ? "" : ` To see it, ${ways.join(" or ")}.`;
  return `[The result of ${result.toolName} (${sizeOf(result)}) was left out to save space.${way}]`;
}

/** True if `recall` finds the result: it has text, and is none of its own. */
function canBeRecalled({ toolName, content }: ToolResultMessage): boolean {
  return plainName(toolName) !== "recall" && content.some(({ type }) => type === "text");
}

function sizeOf({ content }: ToolResultMessage): string {
  const characters = content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
  const images = content.filter((block) => block.type === "image").length;
  return `${characters} characters${images === 0 ? "" : `, ${images} images`}`;
}
