import type { Memento } from "vscode";

const KEY = "tiller.draft";

/** What stands in the composer, kept over reloads of the window. */
export class Draft {
  readonly #memento: Memento;
  #text: string;

  constructor(memento: Memento) {
    this.#memento = memento;
    this.#text = memento.get(KEY, "");
  }

  get text(): string {
    return this.#text;
  }

  set(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    void this.#memento.update(KEY, text === "" ? undefined : text);
  }

  /** Puts `text` behind what is there, on a line of its own. */
  append(text: string): void {
    this.set(this.#text === "" ? text : `${this.#text}\n${text}`);
  }
}
