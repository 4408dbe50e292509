import { basename, dirname } from "node:path";
import type { Place, Places } from "../places.ts";
import { type Folders, pathsOf } from "./folders.ts";
import { type Level, type Part, worse, worstOf } from "./verdict.ts";
import { isSingle, type ShellWord } from "./words.ts";

/** What a command reads from: nothing, another command, a file, or text in the script (undefined when it is not known). */
export type Input = { kind: "none" | "pipe" | "file" } | { kind: "text"; text: string | undefined };

/** One command with its words, and where it runs. */
export interface SimpleCommand {
  words: readonly ShellWord[];
  input: Input;
  folders: Folders;
}

/** Judges code and commands that a command runs. */
export interface Judge {
  places: Places;
  /** @returns the parts of a script that runs in these folders. */
  script(text: string, folders: Folders): Part[];
  command(command: SimpleCommand): Part[];
}

/** Options and operands of a command. */
export interface Arguments {
  operands: ShellWord[];
  /** Options without their dashes and values, in order. */
  options: string[];
  /** The value of an option, by its name. */
  values: Map<string, ShellWord>;
  /** The same with every value of an option that was given more than once. */
  given: [string, ShellWord][];
}

/** Names that, anywhere among the words of a command that nobody knows, may be the beginning of another command. */
const HIDDEN =
  /^(rm|rmdir|unlink|sudo|doas|su|dd|mkfs.*|shred|(ba|da|z|k)?sh|chmod|chown|find|git|truncate|tee|mv|cp|ln|eval|curl|wget|ssh|env|xargs)$/;

const MAX_HIDDEN = 8;

/** Gathers what is found out about one command. */
export class CommandView {
  readonly name: string;
  readonly args: readonly ShellWord[];
  readonly input: Input;
  readonly judge: Judge;
  readonly inner: Part[] = [];
  level: Level = "reads";
  readonly reasons: string[] = [];
  #folders: Folders;

  constructor(name: string, command: SimpleCommand, judge: Judge) {
    this.name = name;
    this.args = command.words.slice(1);
    this.input = command.input;
    this.#folders = command.folders;
    this.judge = judge;
  }

  /** Where it runs. */
  get folders(): Folders {
    return this.#folders;
  }

  /** It was told to run elsewhere. */
  moveTo(folders: Folders): void {
    this.#folders = folders;
  }

  /** It is at least this bad. */
  raise(level: Level, reason?: string): void {
    this.level = worse(this.level, level);
    if (reason !== undefined && !this.reasons.includes(reason)) this.reasons.push(reason);
  }

  /** No rule may allow it. */
  never(reason: string): void {
    this.raise("never", reason);
  }

  /** What it does depends on what is not known. */
  cannot(reason: string): void {
    this.never(`cannot be judged: ${reason}`);
  }

  /** Runs another command with these words. */
  run(words: readonly ShellWord[], folders = this.folders, input = this.input): void {
    this.inner.push(...this.judge.command({ words, input, folders }));
  }

  /** Runs another command with words that are not the real ones: only how bad it is counts. */
  absorb(words: readonly ShellWord[]): void {
    for (const { level, reasons } of this.judge.command({ words, input: { kind: "none" }, folders: this.folders })) {
      this.raise(level);
      for (const reason of reasons) this.raise(level, reason);
    }
  }

  /** Looks for commands that no rule may allow among the words of a program that may run other programs. */
  hidden(): void {
    let found = 0;
    for (const [index, { value }] of this.args.entries()) {
      if (value === undefined || !HIDDEN.test(basename(value))) continue;
      if (++found > MAX_HIDDEN) {
        this.cannot(`too many commands may be hidden in ${this.name}`);
        return;
      }
      const words = this.args.slice(index);
      const parts = this.judge.command({ words, input: { kind: "none" }, folders: this.folders });
      if (worstOf(parts) !== "never") continue;
      for (const reason of parts.flatMap(({ reasons }) => reasons)) this.never(reason);
    }
  }

  /** Whether a word may become one that looks like an option: one that is not known, or the name of a file that is there. */
  mayBeOption(word: ShellWord): boolean {
    if (word.value === undefined) return !isSingle(word) || !/^"?[\w./:=+,%@]/.test(word.source);
    if (!word.isGlob || !/^[-*?[]/.test(word.value) || this.folders === "unknown") return false;
    return [...this.folders].some((folder) => {
      const paths = pathsOf(word, new Set([folder]));
      return paths === undefined || paths.some((path) => path.startsWith(`${folder}/-`));
    });
  }

  /** Runs a script. */
  code(text: string | undefined, what: string): void {
    if (text === undefined) {
      this.cannot(`${what} is known only when it runs`);
      return;
    }
    this.inner.push(...this.judge.script(text, this.folders));
  }

  /** Reads a file or a folder. */
  read(word: ShellWord): void {
    if (word.value === "-") return;
    const { places } = this.judge;
    const paths = pathsOf(word, this.folders);
    const isHere = (path: string) => {
      const { kind, real } = places.locate(path);
      return kind === "device" || places.isWorkspace(real);
    };
    if (paths === undefined || !paths.every(isHere)) this.raise("reads-elsewhere");
    if (paths?.some((path) => /^\/dev\/(tcp|udp)\//.test(path))) this.never("reaches another machine");
  }

  /** Writes a file, or puts files into a folder. */
  write(word: ShellWord): void {
    if (word.value === "-") return;
    this.#touch(word, (path) => this.judge.places.locate(path));
  }

  /** Takes a file or a folder away. A link is taken, not what it leads to. */
  remove(word: ShellWord, isRecursive: boolean): void {
    const { places } = this.judge;
    this.#touch(word, (path) => {
      const isLink = !path.endsWith("/") && !/(^|\/)\.{1,2}$/.test(path);
      const place = isLink ? places.locateEntry(path) : places.locate(path);
      if (isRecursive && places.isVital(place.real)) this.never(`deletes ${vitalName(place, places)}`);
      return place;
    });
    const isAll = word.isGlob && /^\.?\*+$/.test(basename(word.value ?? ""));
    if (!isRecursive || !isAll) return;
    const whole = pathsOf({ ...word, isGlob: false, value: dirname(word.value ?? "") }, this.folders) ?? [];
    for (const path of whole) {
      const place = places.locate(path);
      if (places.isVital(place.real)) this.never(`deletes all that is in ${vitalName(place, places)}`);
    }
  }

  /** Puts a file with the name of `source` into `target`, or writes `target`. */
  writeInto(target: ShellWord, source: ShellWord): void {
    this.write(target);
    for (const path of pathsOf(source, this.folders) ?? []) {
      if (target.value !== undefined) {
        this.write({ ...target, value: `${target.value}/${basename(path)}`, isGlob: target.isGlob });
      }
    }
  }

  /**
   * Tells options from operands.
   * @param valued letters and long names of options that take a value, separated by spaces.
   */
  parse(valued = "", args = this.args): Arguments {
    return parseArguments(args, new Set(valued.split(" ")));
  }

  #touch(word: ShellWord, locate: (path: string) => Place): void {
    this.raise("changes");
    const paths = pathsOf(word, this.folders);
    if (paths === undefined) {
      this.cannot(`${word.source} is known only when it runs`);
      return;
    }
    for (const path of paths) {
      const place = locate(path);
      const shown = this.judge.places.show(place);
      if (place.kind === "guarded") this.never(`changes a protected file: ${shown}`);
      if (place.kind === "outside") this.never(`writes outside the workspace: ${shown}`);
      if (place.kind === "temporary") this.raise("temporary", `writes outside the workspace: ${shown}`);
    }
  }
}

/** Whether an option was given, also shortened as most programs allow. */
export function hasLong(options: readonly string[], name: string, shortest = 3): boolean {
  return options.some((option) => option.length >= shortest && name.startsWith(option));
}

function vitalName({ real }: Place, places: Places): string {
  if (real === places.workspace) return "the workspace";
  return real === places.home ? "the home folder" : real;
}

function parseArguments(args: readonly ShellWord[], valued: ReadonlySet<string>): Arguments {
  const operands: ShellWord[] = [];
  const options: string[] = [];
  const values = new Map<string, ShellWord>();
  const given: [string, ShellWord][] = [];
  const take = (name: string, word: ShellWord) => {
    values.set(name, word);
    given.push([name, word]);
  };
  let isOver = false;
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    const { value } = word;
    if (isOver || value === undefined || value === "-" || !value.startsWith("-")) {
      operands.push(word);
    } else if (value === "--") {
      isOver = true;
    } else {
      const read = readOption(value, valued);
      options.push(...read.names);
      const next = args[index + 1];
      if (read.inline !== undefined) take(read.last, { ...word, value: read.inline });
      else if (read.takesNext && next !== undefined) {
        take(read.last, next);
        // What is shortened may be another option, without a value.
        if (!read.isShortened || next.value === "--") index++;
      }
    }
  }
  return { operands, options, values, given };
}

interface OptionReading {
  names: string[];
  last: string;
  inline?: string | undefined;
  takesNext: boolean;
  /** Most programs take the beginning of a long name for all of it. */
  isShortened?: boolean;
}

function readOption(text: string, valued: ReadonlySet<string>): OptionReading {
  if (text.startsWith("--")) {
    const [, name = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    const isShortened = name.length > 1 && !valued.has(name);
    const last = isShortened ? ([...valued].find((one) => one.length > 1 && one.startsWith(name)) ?? name) : name;
    return { names: [name], last, inline, takesNext: inline === undefined && valued.has(last), isShortened };
  }
  const letters = [...text.slice(1)];
  for (const [index, letter] of letters.entries()) {
    if (!valued.has(letter)) continue;
    const rest = letters.slice(index + 1).join("");
    const names = letters.slice(0, index + 1);
    return rest === ""
      ? { names, last: letter, takesNext: true }
      : { names, last: letter, inline: rest, takesNext: false };
  }
  return { names: letters, last: letters.at(-1) ?? "", takesNext: false };
}
