import type { Memento } from "vscode";
import { DraftCopy } from "../../webview/protocol.ts";

const KEY = "tiller.draft";

/** What stands in the composer, kept over reloads of the window. */
export class Draft {
  readonly #memento: Memento;
  #copy: DraftCopy;

  constructor(memento: Memento) {
    this.#memento = memento;
    this.#copy = DraftCopy.safeParse(memento.get(KEY)).data ?? { text: "", at: 0 };
  }

  get text(): string {
    return this.#copy.text;
  }

  get copy(): DraftCopy {
    return this.#copy;
  }

  set(text: string): void {
    if (text === this.text) return;
    this.#copy = { text, at: Date.now() };
    void this.#memento.update(KEY, this.#copy);
  }

  /** Puts `text` behind what is there, on a line of its own. */
  append(text: string): void {
    this.set(this.text === "" ? text : `${this.text}\n${text}`);
  }
}
