import type { ToolResultMessage } from "../../protocol/messages.ts";
import { pathTo } from "../context.ts";
import type { LoadedEntry } from "../load.ts";
import type { MainLine } from "./session-page.ts";

/** Returns the entries from the root to the leaf. */
export function mainLine(entries: readonly LoadedEntry[], leafId: string | null): MainLine {
  const known = new Map(entries.map(({ entry, known }) => [entry.id, known]));
  const path = pathTo(leafId, new Map(entries.map(({ entry }) => [entry.id, entry])));
  return path.map(({ id }) => known.get(id));
}

/**
 * Returns the results between an assistant message and the next one. Ids may repeat in a session, but not here; the
 * first of two counts.
 */
export function resultsAfter(line: MainLine, index: number): Map<string, ToolResultMessage> {
  const results = new Map<string, ToolResultMessage>();
  for (let next = index + 1; next < line.length; next++) {
    const entry = line[next];
    if (entry?.type !== "message") continue;
    const { message } = entry;
    if (message.role === "assistant") break;
    if (message.role === "toolResult" && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}
