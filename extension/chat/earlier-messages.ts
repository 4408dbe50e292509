import type { AgentMessage } from "../../agent/protocol/messages.ts";
import { KnownSessionEntry, type SessionEntry } from "../../agent/protocol/session-entries.ts";
import type { TranscriptItem } from "../../webview/protocol/items.ts";
import { itemsFromMessages } from "../core/transcript/reduce.ts";
import type { Chat } from "./chat.ts";
import { findPlace, type KnownMessage, keyOfItem, keysOfMessage, type Place, withoutShown } from "./earlier-place.ts";

/** Number of entries of a page; more when a turn is longer, up to the maximum. */
const PAGE_ENTRIES = 200;
const MAX_PAGE_ENTRIES = 1_000;
/** Number of entries requested at once when looking for the start of the conversation. */
const STEP_ENTRIES = 500;

/** A page of earlier items, in order. */
export interface EarlierPage {
  readonly items: readonly TranscriptItem[];
  /** The cursor of the page before; null at the beginning of the session. */
  readonly next: string | null;
}

/** Consecutive entries of a path, the oldest first. */
interface Stretch {
  readonly entries: readonly SessionEntry[];
  /** True when it starts at the beginning of the session. */
  readonly isWhole: boolean;
}

type Ask = (before: string | undefined, limit: number) => Promise<Stretch>;

/**
 * Reads the messages before the items that a chat keeps: those beyond the limit, and those that a summary replaced. The agent reads them from
 * the session, a page at a time. Rejects as `Chat.request` does.
 * @param cursor `next` of another page; null for the page before the items.
 */
export async function readEarlier(
  chat: Pick<Chat, "transcript" | "request">,
  cursor: string | null,
): Promise<EarlierPage> {
  const ask: Ask = async (before, limit) => {
    const { entries } = await chat.request("get_entries", { limit, ...(before === undefined ? {} : { before }) });
    return { entries, isWhole: entries.length < limit || entries[0]?.parentId === null };
  };
  const { transcript } = chat;
  const kept = cursor === null ? transcript.items() : [];
  const place = await findStart(ask, kept);
  // The session has none of the shown messages.
  if (place === undefined && firstKnown(kept) !== -1) return { items: [], next: null };
  for (let before = cursor ?? place?.endsBefore; ; ) {
    const page = await readPage(ask, before);
    const { idPrefix, cwd } = transcript.seed;
    const read = itemsFromMessages(page.messages, { idPrefix: `${idPrefix}-${page.name}`, cwd });
    const items = withoutShown(read, kept.slice(0, place?.index), place?.from);
    if (items.length > 0 || page.next === null) {
      transcript.earlier.add(cursor ?? "", items);
      return { items, next: page.next };
    }
    before = page.next; // skip a page without visible items
  }
}

/** Goes back through the session until the first of the items is found, or to its beginning. */
async function findStart(ask: Ask, items: readonly TranscriptItem[]): Promise<Place | undefined> {
  const first = firstKnown(items);
  if (first === -1) return undefined;
  const messages: KnownMessage[] = [];
  for (let before: string | undefined; ; ) {
    const { entries, isWhole } = await ask(before, STEP_ENTRIES);
    messages.unshift(...entries.flatMap(knownMessage));
    const place = findPlace(items, messages);
    if (isWhole || place?.index === first) return place;
    before = entries[0]?.id;
  }
}

function firstKnown(items: readonly TranscriptItem[]): number {
  return items.findIndex((item) => keyOfItem(item) !== undefined);
}

function knownMessage(entry: SessionEntry): KnownMessage[] {
  const message = messageOf(entry);
  return message === undefined ? [] : [{ entryId: entry.id, role: message.role, keys: keysOfMessage(message) }];
}

/** @param end the entry after the page; absent for the end of the conversation. */
async function readPage(ask: Ask, end: string | undefined) {
  let entries: readonly SessionEntry[] = [];
  let isWhole = false;
  let prompt = -1;
  while (!isWhole && prompt === -1 && entries.length < MAX_PAGE_ENTRIES) {
    const stretch = await ask(entries[0]?.id ?? end, PAGE_ENTRIES);
    entries = [...stretch.entries, ...entries];
    isWhole = stretch.isWhole;
    prompt = entries.findIndex((entry) => messageOf(entry)?.role === "user");
  }
  const reply = () => entries.findIndex((entry) => messageOf(entry)?.role === "assistant");
  // An incomplete turn at the beginning would look like a complete one.
  const start = isWhole ? 0 : Math.max(0, prompt === -1 ? reply() : prompt);
  const first = entries[start];
  return {
    messages: entries.slice(start).flatMap((entry) => messageOf(entry) ?? []),
    next: isWhole ? null : (first?.id ?? null),
    // The same page gets the same ids each time. A colon precedes the id of a tool call.
    name: (first?.id ?? "").replace(/[^\w-]/g, "_"),
  };
}

/** Returns the message that a conversation shows for an entry; undefined for most kinds. */
function messageOf(entry: SessionEntry): AgentMessage | undefined {
  const known = KnownSessionEntry.safeParse(entry).data;
  const timestamp = Date.parse(entry.timestamp) || 0;
  switch (known?.type) {
    case "message":
      return known.message;
    case "custom_message": {
      const { customType, content, display, details } = known;
      return { role: "custom", customType, content, display, timestamp, ...(details === undefined ? {} : { details }) };
    }
    case "branch_summary":
      return { role: "branchSummary", summary: known.summary, fromId: known.fromId, timestamp };
    case "compaction":
      return {
        role: "compactionSummary",
        summary: known.summary,
        tokensBefore: known.tokensBefore,
        timestamp,
      };
    default:
      return undefined;
  }
}
