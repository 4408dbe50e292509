import type { KnownSessionEntry, SessionHeader } from "../../protocol/session-entries.ts";
import type { Redact } from "../../util/redact.ts";
import type { LoadedEntry } from "../load.ts";

/** The input of an export. */
export interface SessionPage {
  header: Pick<SessionHeader, "id" | "timestamp" | "cwd" | "title">;
  /** All entries of the session, in the order they were added. */
  entries: readonly LoadedEntry[];
  /** The end of the main line. */
  leafId: string | null;
  /** Removes from a text everything that must not be in the export. */
  redact: Redact;
}

/** The entries from the root to the leaf; undefined instead of an entry of an unknown kind. */
export type MainLine = readonly (KnownSessionEntry | undefined)[];
