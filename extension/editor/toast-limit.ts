/** Maximum number of notifications in a row; a row ends when none has come for `ROW_GAP_MS`. */
const MAX_ROW = 3;
const ROW_GAP_MS = 10_000;

/** Keeps extensions of the agent from flooding the editor with notifications. */
export class ToastLimit {
  #lastAt = Number.NEGATIVE_INFINITY;
  #lastText = "";
  #count = 0;

  /**
   * Decides about a notification: show it, say once that there are more, or leave it to the chat. Repeated ones are shown once.
   * @param now Unix ms.
   */
  judge(text: string, now: number): "show" | "more" | "skip" {
    if (now - this.#lastAt > ROW_GAP_MS) {
      this.#count = 0;
      this.#lastText = "";
    }
    this.#lastAt = now;
    if (text === this.#lastText) return "skip";
    this.#lastText = text;
    this.#count += 1;
    if (this.#count <= MAX_ROW) return "show";
    return this.#count === MAX_ROW + 1 ? "more" : "skip";
  }
}
