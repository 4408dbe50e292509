import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";

/** How many lines are remembered for a report, and how long each may be, in UTF-16 units. */
const MAX_LINES = 60;
const MAX_LINE_CHARS = 1_000;
/** Longer texts are cut before they are written, so that no line costs more than it is worth. */
const MAX_ENTRY_CHARS = 20_000;

/** How important a line of the log is. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

/** Takes secrets out of what goes into the log, and remembers its last lines. */
export class LogLines {
  readonly #find: () => FindSecrets;
  readonly #now: () => Date;
  readonly #last: string[] = [];

  /** @param find is asked anew for each line. */
  constructor(find: () => FindSecrets, now: () => Date = () => new Date()) {
    this.#find = find;
    this.#now = now;
  }

  /** The last lines above the level `debug`, oldest first, whatever level the user sees. */
  get last(): readonly string[] {
    return this.#last;
  }

  /** @returns what may be written. */
  take(level: LogLevel, text: string): string {
    // Secrets first: one that is cut may not look like one any more.
    const safe = withoutSecrets(text.slice(0, 4 * MAX_ENTRY_CHARS), this.#find()).slice(0, MAX_ENTRY_CHARS);
    if (level === "trace" || level === "debug") return safe;
    this.#last.push(`${this.#now().toISOString()} [${level}] ${safe.slice(0, MAX_LINE_CHARS)}`);
    if (this.#last.length > MAX_LINES) this.#last.shift();
    return safe;
  }
}
