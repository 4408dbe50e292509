import { t } from "../../../../webview/l10n.ts";

/** Output within this time is shown in one piece, in milliseconds. */
const SHOW_INTERVAL_MS = 30;
/** Only the end of a larger piece is shown: the rest would scroll past unread while the window stalls. */
const MAX_PIECE_CHARS = 64 * 1024;
const PLAIN = "\u001b[0m";

/** Shows output in a terminal as it comes, but never more than the terminal can handle. */
export class ShownOutput {
  readonly #write: (text: string) => void;
  #waiting = "";
  #isCut = false;
  #isInLine = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** @param text with the line ends that programs write. */
  add(text: string): void {
    if (text === "") return;
    this.#waiting += text;
    this.#isInLine = !text.endsWith("\n");
    if (this.#waiting.length > 2 * MAX_PIECE_CHARS) this.#cut();
    this.#timer ??= setTimeout(() => this.flush(), SHOW_INTERVAL_MS);
  }

  /** Shows text on a line of its own at once. */
  line(text: string): void {
    this.add(`${this.#isInLine ? "\n" : ""}${text}\n`);
    this.flush();
  }

  /** Shows the pending output now. */
  flush(): void {
    this.end();
    if (this.#waiting.length > MAX_PIECE_CHARS) this.#cut();
    const text = this.#waiting.replace(/\r?\n/g, "\r\n");
    const note = this.#isCut ? `${PLAIN}\r\n[${t("There's too much output to show all of it here.")}]\r\n` : "";
    this.#waiting = "";
    this.#isCut = false;
    if (text !== "") this.#write(`${note}${text}`);
  }

  /** Stops the timer; pending output is no longer shown by itself. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #cut(): void {
    const end = this.#waiting.slice(-MAX_PIECE_CHARS);
    // An escape sequence may be cut in two, but none spans a line end.
    const line = end.indexOf("\n");
    this.#waiting = line === -1 ? end : end.slice(line + 1);
    this.#isCut = true;
  }
}
