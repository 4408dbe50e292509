import * as z from "zod";
import type { ModelName } from "../../chat/model-rows.ts";

const KEY = "tiller.recentModels";
const MAX_RECENT = 10;

/** The part of `vscode.Memento` that is used here. */
interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

/** The models that the user chose last, in all windows, latest first. */
export class RecentModels {
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get list(): readonly ModelName[] {
    return z.array(z.string()).catch([]).parse(this.#memory.get(KEY));
  }

  /** Moves a model to the front. */
  async add(name: ModelName): Promise<void> {
    await this.#memory.update(KEY, [name, ...this.list.filter((other) => other !== name)].slice(0, MAX_RECENT));
  }
}
