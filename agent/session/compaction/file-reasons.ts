import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { firstLine } from "../../util/excerpt.ts";
import { readPath } from "./file-lists.ts";
import { answerText, sentencesOf, writtenBy } from "./sentences.ts";

/** In UTF-16 units. */
const MAX_REASON = 120;
/** The number of files with a reason: the newest ones. */
const MAX_FILES = 100;

/**
 * Returns why files were read, by path: the sentence before the call, or else what the user had asked for. A file that was read again has the
 * newest reason.
 */
export function fileReasons(entries: Iterable<KnownSessionEntry>): Map<string, string> {
  const reasons = new Map<string, string>();
  let request: string | undefined;
  for (const entry of entries) {
    if (entry.type !== "message") continue;
    const { message } = entry;
    if (message.role === "user") request = sentencesOf(writtenBy(message))[0] ?? request;
    if (message.role !== "assistant") continue;
    const paths = message.content.flatMap((block) => (block.type === "toolCall" ? (readPath(block) ?? []) : []));
    const reason = paths.length === 0 ? undefined : (sentencesOf(answerText(message)).at(-1) ?? request);
    if (reason === undefined) continue;
    for (const path of paths) {
      reasons.delete(path);
      reasons.set(path, firstLine(reason, MAX_REASON));
    }
  }
  return new Map([...reasons].slice(-MAX_FILES));
}
