import { t } from "../../../../webview/l10n.ts";

/** What comes within this time is shown in one piece, in milliseconds. */
const SHOW_INTERVAL_MS = 30;
/** Of more in one piece only the end is shown: it would scroll past unread, and the window would stand still. */
const MAX_PIECE_CHARS = 64 * 1024;
const PLAIN = "\u001b[0m";

/** Shows output in a terminal as it comes, but never more than the terminal can take. */
export class ShownOutput {
  readonly #write: (text: string) => void;
  #waiting = "";
  #isCut = false;
  #isInLine = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** @param text with line ends as programs write them. */
  add(text: string): void {
    if (text === "") return;
    this.#waiting += text;
    this.#isInLine = !text.endsWith("\n");
    if (this.#waiting.length > 2 * MAX_PIECE_CHARS) this.#cut();
    this.#timer ??= setTimeout(() => this.flush(), SHOW_INTERVAL_MS);
  }

  /** Shows a line of its own at once. */
  line(text: string): void {
    this.add(`${this.#isInLine ? "\n" : ""}${text}\n`);
    this.flush();
  }

  /** Shows what waits now. */
  flush(): void {
    this.end();
    if (this.#waiting.length > MAX_PIECE_CHARS) this.#cut();
    const text = this.#waiting.replace(/\r?\n/g, "\r\n");
    const note = this.#isCut ? `${PLAIN}\r\n[${t("Too much at once: not all of the output is shown here.")}]\r\n` : "";
    this.#waiting = "";
    this.#isCut = false;
    if (text !== "") this.#write(`${note}${text}`);
  }

  /** Shows nothing more by itself. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #cut(): void {
    const end = this.#waiting.slice(-MAX_PIECE_CHARS);
    // A code for a colour may be cut in two, but not behind a line end.
    const line = end.indexOf("\n");
    this.#waiting = line === -1 ? end : end.slice(line + 1);
    this.#isCut = true;
  }
}
