import type { ExtensionUi } from "../../extensions/author.ts";
import { inputIds } from "./expand-config.ts";
import type { InputDefinition, ServerEntry } from "./server-config.ts";
import { Turns } from "./turns.ts";

/** Thrown when the user doesn't give a value that a server needs. */
export class InputMissing extends Error {
  override readonly name = "InputMissing";
}

interface InputParts {
  ui(): Pick<ExtensionUi, "select" | "input">;
  /** Returns the same text for servers that share the values of inputs. It changes with what the user allows. */
  ownerOf(entry: ServerEntry): string;
}

/** Asks for the values that servers need, one dialog at a time and each value once; they are kept in memory only. */
export class InputValues {
  readonly #parts: InputParts;
  readonly #known = new Map<string, string>();
  readonly #turns = new Turns();

  constructor(parts: InputParts) {
    this.#parts = parts;
  }

  /**
   * Returns the values of all inputs of a server. Omits ids that its file doesn't define.
   * @throws InputMissing when the user closes a dialog, and the reason of an abort.
   */
  async valuesFor(entry: ServerEntry, signal: AbortSignal): Promise<Map<string, string>> {
    const values = new Map<string, string>();
    for (const id of inputIds(entry.config)) {
      const input = entry.inputs.get(id);
      if (input !== undefined) values.set(id, await this.#turns.take(() => this.#value(entry, input, signal), signal));
    }
    return values;
  }

  /** Forgets the values of a server, one of which may be wrong, so that its next start asks for them again. */
  forget(entry: ServerEntry): void {
    for (const id of inputIds(entry.config)) this.#known.delete(this.#keyOf(entry, id));
  }

  async #value(entry: ServerEntry, input: InputDefinition, signal: AbortSignal): Promise<string> {
    const key = this.#keyOf(entry, input.id);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const title = `MCP server "${entry.name}" needs: ${input.description ?? input.id}`;
    const ui = this.#parts.ui();
    const answer =
      input.type === "pickString" && input.options !== undefined
        ? await ui.select(title, input.options, { signal })
        : await ui.input(title, input.password === true ? undefined : input.default, {
            signal,
            ...(input.password === true && { password: true }),
          });
    if (answer === undefined) throw new InputMissing(`"${input.description ?? input.id}" is missing.`);
    const value = answer === "" ? (input.default ?? "") : answer;
    this.#known.set(key, value);
    return value;
  }

  #keyOf(entry: ServerEntry, id: string): string {
    return `${this.#parts.ownerOf(entry)}#${id}`;
  }
}
