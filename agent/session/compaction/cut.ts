import type { AgentMessage } from "../../protocol/messages.ts";
import { estimateTokens } from "../../util/token-estimate.ts";

/** A message of the path, with the entry that holds it. */
export interface PathMessage {
  entryId: string;
  message: AgentMessage;
}

/** The cut of a path: entries before `at` are summarized. */
export interface Cut {
  at: number;
  /** The start of the turn that the cut splits; equal to `at` if it lies between turns. */
  turnStart: number;
}

/**
 * Finds the cut that keeps about `keepRecentTokens` of the newest messages: the first possible place in that stretch, else the last one
 * before it. No tool result is ever cut from its call.
 * @returns undefined when all of it is to be kept.
 */
export function findCut(path: readonly PathMessage[], keepRecentTokens: number): Cut | undefined {
  const border = recentBorder(path, keepRecentTokens);
  if (border === undefined) return undefined;
  const places = possibleCuts(path);
  const at = places.find((place) => place >= border) ?? places.findLast((place) => place < border);
  if (at === undefined || at === 0) return undefined;
  return { at, turnStart: turnStart(path, at) };
}

/** Position of the oldest message that still belongs to the recent ones; undefined when everything is recent. */
function recentBorder(path: readonly PathMessage[], keepRecentTokens: number): number | undefined {
  let tokens = 0;
  for (let at = path.length - 1; at >= 0; at--) {
    tokens += estimateTokens(path.slice(at, at + 1).map(({ message }) => message));
    if (tokens >= keepRecentTokens) return at;
  }
  return undefined;
}

/** Positions where nothing before depends on what follows, in rising order. */
function possibleCuts(path: readonly PathMessage[]): number[] {
  const lastAnswers = answerPositions(path);
  const places: number[] = [];
  let openUntil = -1;
  for (const [at, { message }] of path.entries()) {
    if (message.role !== "toolResult" && at > openUntil) places.push(at);
    openUntil = Math.max(openUntil, lastAnswers[at] ?? -1);
  }
  return places;
}

/** For each message the position of the last result of its calls, or -1. Ids may come again; the next result is meant. */
function answerPositions(path: readonly PathMessage[]): number[] {
  const nextResult = new Map<string, number>();
  const positions: number[] = path.map(() => -1);
  for (let at = path.length - 1; at >= 0; at--) {
    const message = path[at]?.message;
    if (message?.role === "toolResult") nextResult.set(message.toolCallId, at);
    if (message?.role !== "assistant") continue;
    for (const block of message.content) {
      if (block.type !== "toolCall") continue;
      positions[at] = Math.max(positions[at] ?? -1, nextResult.get(block.id) ?? -1);
      nextResult.delete(block.id);
    }
  }
  return positions;
}

function turnStart(path: readonly PathMessage[], at: number): number {
  if (path[at]?.message.role !== "assistant") return at;
  const start = path.slice(0, at).findLastIndex(({ message }) => beginsTurn(message));
  return start === -1 ? at : start;
}

function beginsTurn({ role }: AgentMessage): boolean {
  return role !== "assistant" && role !== "toolResult";
}
