import type { Assignment, Command, Word } from "unbash";
import type { Folders } from "./folders.ts";
import { expandWord, type ShellWord, unknownWord } from "./words.ts";

/** Reads the words of one script, in which some variables are known. */
export class ScriptWords {
  readonly #text: string;
  readonly #home: string;
  #settings: Record<"HOME" | "PWD", boolean> | undefined;

  constructor(text: string, home: string) {
    this.#text = text;
    this.#home = home;
  }

  /** The words of a command, its name first. */
  of(node: Command, folders: Folders): ShellWord[] {
    const all = node.name === undefined ? [] : [node.name, ...node.args];
    return all.flatMap((word) => {
      if (word.type === "Word") return this.expand(word, folders);
      const value = this.assigned(word, folders);
      return [
        value === undefined
          ? unknownWord(word.text)
          : { value: `${word.name}=${value}`, isGlob: false, source: word.text },
      ];
    });
  }

  /** The value that a variable is given; undefined when it is not known. */
  assigned({ value }: Assignment, folders: Folders): string | undefined {
    if (value.type === "ArrayValue") return undefined;
    return this.expand(value, folders)[0]?.value;
  }

  /** What a word becomes. */
  expand(word: Word, folders: Folders): ShellWord[] {
    return expandWord(word, (name) => this.#variable(name, folders));
  }

  #variable(name: string, folders: Folders): string | undefined {
    if (name !== "HOME" && name !== "PWD") return undefined;
    if (this.#isSet(name)) return undefined;
    if (name === "HOME") return this.#home;
    if (folders === "unknown" || folders.size !== 1) return undefined;
    return [...folders][0];
  }

  /** Whoever names a variable without a dollar may set it. */
  #isSet(name: "HOME" | "PWD"): boolean {
    this.#settings ??= {
      HOME: /(?<![\w$]|\$\{)HOME\b/.test(this.#text),
      PWD: /(?<![\w$]|\$\{)PWD\b/.test(this.#text),
    };
    return this.#settings[name];
  }
}
