import type { ExtensionUi } from "../../extensions/author.ts";
import { inputIds } from "./expand-config.ts";
import type { InputDefinition, ServerEntry } from "./server-config.ts";

/** Thrown when the user doesn't give a value that a server needs. */
export class InputMissing extends Error {
  override readonly name = "InputMissing";
}

/** Asks for the values that servers need, one dialog at a time and each value once; they are kept in memory only. */
export class InputValues {
  readonly #ui: () => ExtensionUi;
  readonly #known = new Map<string, string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(ui: () => ExtensionUi) {
    this.#ui = ui;
  }

  /**
   * Returns the values of all inputs of a server. Omits ids that its file doesn't define.
   * @throws InputMissing when the user closes a dialog.
   */
  async valuesFor(entry: ServerEntry, signal: AbortSignal): Promise<Map<string, string>> {
    const values = new Map<string, string>();
    for (const id of inputIds(entry.config)) {
      const input = entry.inputs.get(id);
      if (input !== undefined) values.set(id, await this.#inTurn(() => this.#value(entry, input, signal)));
    }
    return values;
  }

  async #value({ name, file }: ServerEntry, input: InputDefinition, signal: AbortSignal): Promise<string> {
    const key = `${file.path}#${input.id}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const title = `MCP server "${name}" needs: ${input.description ?? input.id}`;
    const answer =
      input.type === "pickString" && input.options !== undefined
        ? await this.#ui().select(title, input.options, { signal })
        : await this.#ui().input(title, input.password === true ? undefined : input.default, {
            signal,
            ...(input.password === true && { password: true }),
          });
    if (answer === undefined) throw new InputMissing(`"${input.description ?? input.id}" is missing.`);
    const value = answer === "" ? (input.default ?? "") : answer;
    this.#known.set(key, value);
    return value;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined); // whoever asked is told
    return result;
  }
}
