import { splitAttached } from "../../agent/protocol/attached.ts";
import type { AgentMessage } from "../../agent/protocol/messages.ts";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import { textOf } from "../core/transcript/fold-tools.ts";
import { toolCallIdOf } from "../core/transcript/transcript-state.ts";

/** A message of a session, with the keys that match it to items. */
export interface KnownMessage {
  readonly entryId: string;
  readonly role: AgentMessage["role"];
  readonly keys: readonly string[];
}

/** The place where the items of a conversation begin in its session. */
export interface Place {
  /** The index of the item that was found there; 0 if it is the first one. */
  readonly index: number;
  /** The entry after those needed to show everything before the item; absent when that is all of them. */
  readonly endsBefore: string | undefined;
  /** The key of the first item already shown from before `endsBefore`; absent without one. */
  readonly from: string | undefined;
}

/** Returns the key that matches an item to a message; undefined for items that are not messages or calls. */
export function keyOfItem(item: TranscriptItem): string | undefined {
  if (item.kind === "prompt" || item.kind === "text") return keyOf(item.kind, item.text);
  const callId = item.kind === "tool" ? toolCallIdOf(item.id) : undefined;
  return callId === undefined ? undefined : keyOf("call", callId);
}

function keyOf(kind: "prompt" | "text" | "call", words: string): string {
  return `${kind}:${words}`;
}

/** Returns the keys that match a message to items. */
export function keysOfMessage(message: AgentMessage): string[] {
  if (message.role === "user")
    return message.synthetic ? [] : [keyOf("prompt", splitAttached(textOf(message.content)).text)];
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) => {
    if (block.type === "text") return [keyOf("text", block.text)];
    return block.type === "toolCall" ? [keyOf("call", block.id)] : [];
  });
}

/**
 * Finds the place of the first item that matches a message. Both lists are in the order of the conversation, but either may have gaps, and texts
 * may repeat, so they are compared from the end.
 */
export function findPlace(items: readonly TranscriptItem[], messages: readonly KnownMessage[]): Place | undefined {
  const points = messages.flatMap(({ keys }, message) => keys.map((key) => ({ key, message })));
  const places = new Map<string, number[]>();
  for (const [at, { key }] of points.entries()) {
    const others = places.get(key);
    if (others === undefined) places.set(key, [at]);
    else others.push(at);
  }
  let before = points.length;
  let found: { index: number; at: number } | undefined;
  for (const [index, item] of [...items.entries()].reverse()) {
    const at = places.get(keyOfItem(item) ?? "")?.findLast((place) => place < before);
    if (at === undefined) continue;
    before = at;
    found = { index, at };
  }
  const point = found && points[found.at];
  if (found === undefined || point === undefined) return undefined;
  if (messages[point.message]?.role === "user") {
    return { index: found.index, endsBefore: messages[point.message]?.entryId, from: undefined };
  }
  // A reply includes the results of its calls.
  const next = messages.slice(point.message + 1).find(({ role }) => role === "user" || role === "assistant");
  return { index: found.index, endsBefore: next?.entryId, from: point.key };
}

/**
 * Removes the items that are already shown.
 * @param shown the items of the conversation before the one that was found, which is `from` unless it is a prompt.
 */
export function withoutShown(
  items: readonly TranscriptItem[],
  shown: readonly TranscriptItem[],
  from: string | undefined,
): TranscriptItem[] {
  const cut = from === undefined ? -1 : items.findLastIndex((item) => keyOfItem(item) === from);
  const left = cut === -1 ? [...items] : items.slice(0, cut);
  for (const one of shown.toReversed()) if (isSame(left.at(-1), one)) left.pop();
  return left;
}

function isSame(one: TranscriptItem | undefined, other: TranscriptItem): boolean {
  if (one?.kind === "footer") return other.kind === "footer";
  if (one?.kind === "activity") return other.kind === "activity" && one.detail === other.detail;
  return one?.kind === "thinking" && other.kind === "thinking" && one.text === other.text;
}
