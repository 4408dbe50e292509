import type { KnownSessionEntry, SessionHeader } from "../../protocol/session-entries.ts";
import type { LoadedEntry } from "../load.ts";

/** What a page is made of. */
export interface SessionPage {
  header: Pick<SessionHeader, "id" | "timestamp" | "cwd" | "title">;
  /** All entries of the session, in the order they were added. */
  entries: readonly LoadedEntry[];
  /** Where the main line ends. */
  leafId: string | null;
  /** Values that must not be in the page, beside what looks like a key. */
  secrets: readonly string[];
}

/** The entries from the root to the leaf; undefined in place of those that we do not understand. */
export type MainLine = readonly (KnownSessionEntry | undefined)[];
