import type { ToolResultMessage } from "../../protocol/messages.ts";
import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { type Html, NOTHING } from "./html.ts";
import { mainLine, resultsAfter } from "./main-line.ts";
import { branchView, compactionView, formatCount, messageView } from "./message-view.ts";
import { pageFoot, pageHead } from "./page-frame.ts";
import { createPen, type Pen } from "./pen.ts";
import type { MainLine, SessionPage } from "./session-page.ts";

/**
 * Writes a session as one HTML page that needs no script, no network and no other file. Shows the main line from its
 * beginning, including entries that a compaction removed from the context; only counts entries on other branches.
 * @returns the page in pieces, an entry each.
 */
export function* pageParts({ header, entries, leafId, redact }: SessionPage): Generator<string> {
  const pen = createPen(redact);
  const line = mainLine(entries, leafId);
  yield pageHead(pen, { header, entries, line }).markup;
  const elsewhere = entries.length - line.length;
  yield* entryParts(pen, line);
  yield pageFoot(
    pen,
    elsewhere === 0
      ? undefined
      : `${formatCount(elsewhere)} ${elsewhere === 1 ? "entry" : "entries"} on other branches`,
  ).markup;
}

function* entryParts(pen: Pen, line: MainLine): Generator<string> {
  const shownResults = new Set<ToolResultMessage>();
  let lastRole = "";
  for (const [index, entry] of line.entries()) {
    if (entry === undefined) continue;
    const message = entry.type === "message" ? entry.message : undefined;
    if (message?.role === "toolResult" && shownResults.has(message)) continue;
    const results = message?.role === "assistant" ? resultsAfter(line, index) : NO_RESULTS;
    for (const result of results.values()) shownResults.add(result);
    const isContinued = message !== undefined && message.role === lastRole;
    const view = entryView(pen, entry, { results, isContinued });
    if (view === NOTHING) continue;
    lastRole = message?.role ?? "";
    yield view.markup;
  }
}

const NO_RESULTS: ReadonlyMap<string, ToolResultMessage> = new Map();

function entryView(pen: Pen, entry: KnownSessionEntry, surroundings: Parameters<typeof messageView>[2]): Html {
  switch (entry.type) {
    case "message":
      return messageView(pen, entry.message, surroundings);
    case "custom_message": {
      const { customType, content, display } = entry;
      const timestamp = Date.parse(entry.timestamp);
      return messageView(pen, { role: "custom", customType, content, display, timestamp }, surroundings);
    }
    case "compaction":
      return compactionView(pen, entry.summary, entry.tokensBefore);
    case "branch_summary":
      return branchView(pen, entry.summary);
    default:
      return NOTHING;
  }
}
