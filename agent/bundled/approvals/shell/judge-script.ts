import type { Places } from "../places.ts";
import { showsVariable } from "../warnings.ts";
import { CommandView, type Input, type Judge, type SimpleCommand } from "./command-view.ts";
import { either, type Folders, folderAfter, isSame, pathsOf } from "./folders.ts";
import { judgeCommand } from "./judge-command.ts";
import { ListedFiles } from "./listed-files.ts";
import { listingOf, passesNames } from "./listing.ts";
import { parseScript } from "./parse-script.ts";
import { roughDangers } from "./rough-dangers.ts";
import type { AndOr, Assignment, CommandNode, Pipeline, Redirect, Script, Word } from "./script.ts";
import { namesSetIn } from "./script-names.ts";
import { decides, folderShownBy, onlyOne, textOf, withAssignments } from "./script-parts.ts";
import type { Found } from "./secret-search.ts";
import { isSecretVariable, variableKind } from "./variables.ts";
import { neverPart, type Part, unjudged } from "./verdict.ts";
import { expandWord, isTidy, type Knowledge, type Listing, plainWord, type ShellWord, unknownWord } from "./words.ts";

const MAX_DEPTH = 4;
const MAX_COMMANDS = 1000;
const MAX_WORDS = 2000;
/** The number of loop iterations that are judged one by one. */
const MAX_ROUNDS = 20;

/** The working directory of the next command if this one succeeds, and in any case. */
interface Outcome {
  ok: Folders;
  any: Folders;
}

/** The working directory of a node, and its input. */
interface Setting {
  folders: Folders;
  input: Input;
}

/** Limits that all nested scripts share: otherwise, code could make a short script endless. */
interface Budget {
  commands: number;
  words: number;
  files: ListedFiles;
}

/**
 * Returns what every command of a script does, as far as that can be determined. Runs nothing, and reads only names of
 * files.
 */
export function judgeScript(text: string, folder: string, places: Places): Part[] {
  const budget: Budget = { commands: MAX_COMMANDS, words: MAX_WORDS, files: new ListedFiles(places) };
  const parts = new ScriptWalk(text, { places, budget, depth: 0 }).run(new Set([folder]));
  return budget.commands < 0 || budget.words < 0 ? [unjudged("it's too long", roughDangers(text))] : parts;
}

class ScriptWalk implements Judge {
  readonly places: Places;
  readonly #text: string;
  readonly #budget: Budget;
  readonly #depth: number;
  #parts: Part[] = [];
  /** Counts how often each variable is set in the script. */
  #names: ReadonlyMap<string, number> = new Map();
  /** Values of the variables of the loops around a node, in this iteration. */
  readonly #rounds = new Map<string, { word: ShellWord; folders: Folders }>();

  constructor(text: string, { places, budget, depth }: { places: Places; budget: Budget; depth: number }) {
    this.places = places;
    this.#text = text;
    this.#budget = budget;
    this.#depth = depth;
  }

  run(folders: Folders): Part[] {
    if (this.#depth > MAX_DEPTH) return [unjudged("it's nested too deeply")];
    const parsed = parseScript(this.#text);
    if ("problem" in parsed) return [unjudged(parsed.problem, roughDangers(this.#text))];
    this.#names = namesSetIn(parsed.script);
    this.#list(parsed.script, { folders, input: "none" });
    return this.#parts;
  }

  script(text: string, folders: Folders): Part[] {
    const options = { places: this.places, budget: this.#budget, depth: this.#depth + 1 };
    return new ScriptWalk(text, options).run(folders);
  }

  command(command: SimpleCommand): Part[] {
    this.#budget.commands--;
    this.#budget.words -= command.words.length;
    if (this.#isSpent) return [unjudged("it's too long")];
    return judgeCommand(command, this);
  }

  filesOf(listing: Listing): Found {
    return this.#budget.files.show(listing);
  }

  get #isSpent(): boolean {
    return this.#budget.commands < 0 || this.#budget.words < 0;
  }

  #list(script: Script, { folders, input }: Setting): Outcome {
    let outcome: Outcome = { ok: folders, any: folders };
    for (const node of script) {
      if (this.#isSpent) break;
      outcome = this.#andOr(node, { folders: outcome.any, input });
    }
    return outcome;
  }

  #andOr({ pipelines }: AndOr, setting: Setting): Outcome {
    let outcome: Outcome = { ok: setting.folders, any: setting.folders };
    for (const [index, { operator, pipeline }] of pipelines.entries()) {
      const isAfterSuccess = index === 0 || operator === "&&";
      const next = this.#pipeline(pipeline, { ...setting, folders: isAfterSuccess ? outcome.ok : outcome.any });
      outcome = {
        ok: isAfterSuccess ? next.ok : either(outcome.ok, next.ok),
        any: either(outcome.any, next.any),
      };
    }
    return outcome;
  }

  #pipeline({ commands, isNegated }: Pipeline, setting: Setting): Outcome {
    const [only] = commands;
    if (only !== undefined && commands.length === 1) {
      const outcome = this.#command(only, setting);
      return isNegated ? { ok: outcome.any, any: outcome.any } : outcome;
    }
    let { input } = setting;
    for (const node of commands) {
      const before = this.#parts.length;
      this.#command(node, { ...setting, input });
      input = this.#outputOf(node, { folders: setting.folders, input }, this.#parts.slice(before));
    }
    return { ok: setting.folders, any: setting.folders };
  }

  /** Returns what the next command of a pipeline reads. @param parts what the command does. */
  #outputOf(node: CommandNode, { folders, input }: Setting, parts: readonly Part[]): Input {
    if (node.type !== "simple" || node.redirects.some(({ kind }) => kind !== "write")) return "pipe";
    const words = node.words.flatMap((word) => this.#expand(word, folders));
    if (typeof input === "object") return passesNames(words) ? input : "pipe";
    if (parts.some(({ level }) => level !== "reads")) return "pipe";
    return listingOf(words, folders, this.places) ?? "pipe";
  }

  #command(node: CommandNode, setting: Setting): Outcome {
    const input = this.#redirects(node.redirects, setting.folders) ?? setting.input;
    const inner = { ...setting, input };
    switch (node.type) {
      case "simple":
        return this.#simple(node, inner);
      case "group": {
        const outcome = this.#list(node.body, inner);
        return node.isSubshell ? { ok: setting.folders, any: setting.folders } : outcome;
      }
      case "if":
        return this.#branches(node.bodies, inner);
      case "loop":
        return this.#loop(node.bodies, inner);
      case "for":
        return this.#for(node, inner);
    }
  }

  /** Judges bodies that may each run or not, one after another. */
  #branches(bodies: readonly Script[], setting: Setting): Outcome {
    let { folders } = setting;
    for (const body of bodies) folders = either(folders, this.#list(body, { ...setting, folders }).any);
    return { ok: folders, any: folders };
  }

  #loop(bodies: readonly Script[], setting: Setting): Outcome {
    const once = this.#branches(bodies, setting);
    if (isSame(once.any, setting.folders)) return once;
    // The second iteration begins where the first one ended, and the number of iterations is unknown.
    return this.#branches(bodies, { ...setting, folders: "unknown" });
  }

  #for({ name, words, body }: CommandNode & { type: "for" }, setting: Setting): Outcome {
    if (variableKind(name, undefined) === "deciding") this.#parts.push(decides(name));
    const values = words.flatMap((word) => this.#expand(word, setting.folders));
    const isKnown = this.#names.get(name) === 1 && values.length > 0 && values.length <= MAX_ROUNDS;
    const outer = setting.folders;
    for (const value of isKnown ? values : [undefined]) {
      if (value !== undefined) this.#rounds.set(name, { word: value, folders: setting.folders });
      const outcome = this.#loop([body], setting);
      this.#rounds.delete(name);
      if (isSame(outcome.any, outer)) continue;
      return this.#loop([body], { ...setting, folders: "unknown" });
    }
    return { ok: outer, any: outer };
  }

  #simple({ assignments, words: typed }: CommandNode & { type: "simple" }, { folders, input }: Setting): Outcome {
    const stay = { ok: folders, any: folders };
    const words = typed.flatMap((word) => this.#expand(word, folders));
    const values = assignments.map((one) => this.#assigned(one, folders));
    const [first] = words;
    if (first === undefined) {
      for (const { name } of assignments)
        if (variableKind(name, undefined) === "deciding") this.#parts.push(decides(name));
      return stay;
    }
    if (first.value === "cd" && !first.isGlob) {
      const next = assignments.length > 0 ? "unknown" : folderAfter(words, folders, this.places.home);
      this.#parts.push({ level: "reads", words: words.map(({ value }) => value), reasons: [] });
      return { ok: next, any: either(folders, next) };
    }
    const parts = this.command({ words, input, folders });
    // A word separator only for `read` is harmless.
    const isForReading = first.value === "read" && assignments.every(({ name }) => name === "IFS");
    this.#parts.push(...(isForReading ? parts : withAssignments(parts, assignments, values)));
    return stay;
  }

  #assigned({ value }: Assignment, folders: Folders): string | undefined {
    const [word] = this.#expand(value, folders);
    return word === undefined ? "" : word.value;
  }

  /** Judges the targets of output. @returns the new input; undefined when it stays the same. */
  #redirects(redirects: readonly Redirect[], folders: Folders): Input | undefined {
    let input: Input | undefined;
    for (const redirect of redirects) {
      if (redirect.kind !== "write") input = "file";
      if (redirect.kind === "text" || --this.#budget.words < 0) continue;
      const [word = unknownWord(redirect.target.source), ...others] = this.#expand(redirect.target, folders);
      const name = redirect.kind === "read" ? "<" : ">";
      const view = new CommandView(name, { words: [word], input: "none", folders }, this);
      if (others.length > 0 || word.isGlob) view.cannot(`${word.source} may be several files`);
      else if (redirect.kind === "read") view.read(word);
      else if (!this.#isSilent(word)) view.write(word);
      if (view.level !== "reads")
        this.#parts.push({ level: view.level, words: [name, word.value], reasons: view.reasons });
    }
    return input;
  }

  #isSilent({ value }: ShellWord): boolean {
    return value !== undefined && this.places.locate(value).kind === "device";
  }

  #expand(word: Word, folders: Folders): ShellWord[] {
    for (const piece of word.pieces) {
      if (piece.kind === "variable" && isSecretVariable(piece.name) && !this.#rounds.has(piece.name))
        this.#parts.push(neverPart(showsVariable(piece.name)));
    }
    return expandWord(word, this.#knowledge(folders));
  }

  #knowledge(folders: Folders): Knowledge {
    const known = new Map<Script, ShellWord | undefined>();
    return {
      home: this.places.home,
      variable: (name, isQuoted) => this.#variable(name, isQuoted, folders),
      substitution: (script) => {
        if (!known.has(script)) known.set(script, this.#substitution(script, folders));
        return known.get(script);
      },
    };
  }

  #variable(name: string, isQuoted: boolean, folders: Folders): ShellWord | undefined {
    const folder = onlyOne(folders);
    if (name === "HOME" || name === "PWD") {
      const value = name === "HOME" ? this.places.home : folder;
      return value !== undefined && (isQuoted || isTidy(value)) ? plainWord(value) : undefined;
    }
    const round = this.#rounds.get(name);
    if (round === undefined) return undefined;
    const { word } = round;
    // In another folder, a glob would match other files.
    if (word.isGlob && !isSame(round.folders, folders)) return undefined;
    if (isQuoted) return word;
    // Without quotes, the shell would split a name with blanks into several words.
    const names = folder === undefined ? undefined : pathsOf(word, new Set([folder]));
    return names?.every(isTidy) ? word : undefined;
  }

  /** Judges the script of a `$(…)`. @returns its expansion, if that is known. */
  #substitution(script: Script, folders: Folders): ShellWord | undefined {
    const [node, ...others] = script;
    const simple = node?.pipelines.map(({ pipeline }) => pipeline.commands) ?? [];
    const only = others.length === 0 && simple.length === 1 && simple[0]?.length === 1 ? simple[0][0] : undefined;
    const text = only === undefined ? undefined : textOf(only);
    if (text !== undefined) return { value: text, isGlob: false, source: text };
    const before = this.#parts.length;
    this.#list(script, { folders, input: "none" });
    const parts = this.#parts.slice(before);
    const isReading = parts.every(({ level }) => level === "reads" || level === "reads-elsewhere");
    if (!isReading) this.#parts.push(unjudged("a command in $(…) changes something"));
    if (only?.type !== "simple" || parts.some(({ level }) => level !== "reads")) return undefined;
    const words = only.words.flatMap((word) => this.#expand(word, folders));
    const listed = listingOf(words, folders, this.places);
    if (listed !== undefined) return { value: undefined, isGlob: false, source: "", listed };
    const value = folderShownBy(words, folders, this.places);
    return value === undefined ? undefined : { value, isGlob: false, source: value };
  }
}
