import { type FindSecrets, withoutSecrets } from "../../../agent/util/secrets.ts";

/** Number of lines kept for a report, and maximum length of each in UTF-16 units. */
const MAX_LINES = 60;
const MAX_LINE_CHARS = 1_000;
/** Maximum length of a logged text, in UTF-16 units; longer ones are cut. */
const MAX_ENTRY_CHARS = 20_000;

/** The level of a log line. */
export type LogLevel = "trace" | "debug" | "info" | "warn" | "error";

/** Removes secrets from log lines, and keeps the last ones. */
export class LogLines {
  readonly #find: () => FindSecrets;
  readonly #now: () => Date;
  readonly #last: string[] = [];

  /** @param find is called anew for each line. */
  constructor(find: () => FindSecrets, now: () => Date = () => new Date()) {
    this.#find = find;
    this.#now = now;
  }

  /** The last lines above the level `debug`, oldest first, whatever log level is set. */
  get last(): readonly string[] {
    return this.#last;
  }

  /** @returns the text that may be written. */
  take(level: LogLevel, text: string): string {
    // Secrets first: a part of one may not be recognizable any more.
    const safe = withoutSecrets(text.slice(0, 4 * MAX_ENTRY_CHARS), this.#find()).slice(0, MAX_ENTRY_CHARS);
    if (level === "trace" || level === "debug") return safe;
    this.#last.push(`${this.#now().toISOString()} [${level}] ${safe.slice(0, MAX_LINE_CHARS)}`);
    if (this.#last.length > MAX_LINES) this.#last.shift();
    return safe;
  }
}
