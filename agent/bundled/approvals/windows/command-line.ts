/** A word of a command, without its quotes. */
export interface WindowsWord {
  text: string;
  isQuoted: boolean;
}

/** What stands before a command. */
export type Joint = ";" | "&&" | "||" | "|";

/** A command, and how it follows the one before it. */
export interface WindowsCommand {
  joint: Joint;
  words: WindowsWord[];
}

/** A script as its commands, or why that can't be told with certainty. */
export type Reading = { commands: WindowsCommand[] } | { problem: string };

/** Collects words and commands as a reader comes to them. */
export class CommandCollector {
  readonly commands: WindowsCommand[] = [];
  #words: WindowsWord[] = [];
  #joint: Joint = ";";

  word(text: string, isQuoted: boolean): void {
    this.#words.push({ text, isQuoted });
  }

  /** @returns false when there is no command before the joint, where one has to be. */
  join(joint: Joint): boolean {
    const isComplete = this.#words.length > 0 || (joint === ";" && this.#joint === ";");
    this.#end();
    if (isComplete) this.#joint = joint;
    return isComplete;
  }

  /** @returns false when a command is missing at the end. */
  finish(): boolean {
    const isComplete = this.#words.length > 0 || this.#joint === ";";
    this.#end();
    return isComplete;
  }

  #end(): void {
    if (this.#words.length > 0) this.commands.push({ joint: this.#joint, words: this.#words });
    this.#words = [];
  }
}
