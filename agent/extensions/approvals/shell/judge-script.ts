import {
  type AndOr,
  type Assignment,
  type Command,
  type CommandNode,
  type CompoundList,
  type Function as FunctionNode,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "unbash";
import type { Places } from "../places.ts";
import type { Input, Judge, SimpleCommand } from "./command-view.ts";
import { variableKind } from "./environment.ts";
import { inspectScript } from "./expansions.ts";
import { either, type Folders, isSame } from "./folders.ts";
import { judgeCommand } from "./judge-command.ts";
import {
  bodiesOf,
  decides,
  folderAfter,
  IN_THIS_SHELL,
  judgeRedirect,
  MOVES,
  newShared,
  type Outcome,
  type Setting,
  type Shared,
  unjudged,
  withAssignments,
} from "./script-parts.ts";
import { ScriptWords } from "./script-words.ts";
import type { Part } from "./verdict.ts";
import type { ShellWord } from "./words.ts";

const MAX_DEPTH = 12;
const MAX_WORDS = 2000;
const NO_INPUT: Input = { kind: "none" };

/** Takes a script apart and judges every command in it. Nothing is run, and nothing is read but names of files. */
export function judgeScript(text: string, folder: string, places: Places): Part[] {
  return new ScriptWalk(text, places).run(new Set([folder]));
}

class ScriptWalk implements Judge {
  readonly places: Places;
  readonly #text: string;
  readonly #depth: number;
  readonly #words: ScriptWords;
  readonly #parts: Part[] = [];
  readonly #shared: Shared;
  /** Functions that are being judged: they may call themselves. */
  readonly #active = new Set<string>();

  constructor(text: string, places: Places, depth = 0, shared?: Shared) {
    this.#shared = shared ?? newShared();
    this.#text = text;
    this.places = places;
    this.#depth = depth;
    this.#words = new ScriptWords(text, places.home);
  }

  run(folders: Folders): Part[] {
    if (this.#depth > MAX_DEPTH) return [unjudged("it is nested too deeply")];
    const script = parse(this.#text);
    const { problems, assigned } = inspectScript(script);
    for (const problem of problems) this.#parts.push(unjudged(problem));
    for (const name of assigned) {
      if (variableKind(name, undefined) === "deciding") this.#parts.push(decides(name));
    }
    this.#list(script.commands, { folders, input: NO_INPUT });
    return this.#shared.commandsLeft < 0 ? [unjudged("it is too long")] : this.#parts;
  }

  script(text: string, folders: Folders): Part[] {
    return new ScriptWalk(text, this.places, this.#depth + 1, this.#shared).run(folders);
  }

  command(command: SimpleCommand): Part[] {
    if (this.#isTooLong(command.words)) return [unjudged("it is too long")];
    const name = command.words[0]?.value;
    const isOwn = name !== undefined && this.#shared.functions.has(name);
    return [...(isOwn ? [unjudged(`${name} is a function`)] : []), ...judgeCommand(command, this)];
  }

  #isTooLong(words: readonly unknown[]): boolean {
    if (words.length > MAX_WORDS) this.#shared.commandsLeft = 0;
    return --this.#shared.commandsLeft < 0;
  }

  #list(statements: readonly Statement[], { folders, input }: Setting): Outcome {
    let outcome: Outcome = { ok: folders, any: folders };
    for (const { command, background } of statements) {
      if (this.#shared.commandsLeft < 0) break;
      const before = outcome.any;
      const after = this.#node(command, { folders: before, input });
      outcome = background === true ? { ok: before, any: before } : after;
    }
    return outcome;
  }

  #body(body: CompoundList, setting: Setting): Outcome {
    return this.#list(body.commands, setting);
  }

  #node(node: PipelineNode | AndOr, setting: Setting): Outcome {
    if (node.type === "AndOr") return this.#andOr(node, setting);
    if (node.type === "Pipeline") return this.#pipeline(node, setting);
    return this.#commandNode(node, setting);
  }

  #andOr({ commands, operators }: AndOr, setting: Setting): Outcome {
    let outcome: Outcome = { ok: setting.folders, any: setting.folders };
    for (const [index, command] of commands.entries()) {
      const isAfterSuccess = index === 0 || operators[index - 1] === "&&";
      const next = this.#node(command, { ...setting, folders: isAfterSuccess ? outcome.ok : outcome.any });
      outcome = {
        ok: isAfterSuccess ? next.ok : either(outcome.ok, next.ok),
        any: either(outcome.any, next.any),
      };
    }
    return outcome;
  }

  #pipeline({ commands, prefixes }: Pipeline, setting: Setting): Outcome {
    const [only] = commands;
    if (only !== undefined && commands.length === 1) {
      const outcome = this.#commandNode(only, setting);
      const isNegated = prefixes.some(({ type }) => type === "Negation");
      return isNegated ? { ok: outcome.any, any: outcome.any } : outcome;
    }
    for (const [index, command] of commands.entries()) {
      this.#commandNode(command, index === 0 ? setting : { ...setting, input: { kind: "pipe" } });
    }
    return { ok: setting.folders, any: setting.folders };
  }

  #commandNode(node: CommandNode, setting: Setting): Outcome {
    const stay = { ok: setting.folders, any: setting.folders };
    switch (node.type) {
      case "Command":
        return this.#simple(node, setting);
      case "Redirected": {
        const input = this.#redirects(node.redirects, setting);
        return this.#commandNode(node.command, { ...setting, input: input ?? setting.input });
      }
      case "Subshell":
        this.#body(node.body, setting);
        return stay;
      case "BraceGroup":
        return this.#body(node.body, setting);
      case "If":
        return this.#branches(bodiesOf(node), setting);
      case "While":
        return this.#loop([node.clause, node.body], setting);
      case "For":
      case "Select":
        if (variableKind(node.name.value, undefined) === "deciding") this.#parts.push(decides(node.name.value));
        for (const word of node.wordlist ?? []) this.#embedded(word, setting.folders);
        return this.#loop([node.body], setting);
      case "ArithmeticFor":
        this.#embeddedIn([node.initialize, node.test, node.update], setting.folders);
        return this.#loop([node.body], setting);
      case "Case":
        this.#embeddedIn([node.word, ...node.items.flatMap(({ pattern }) => pattern)], setting.folders);
        return this.#branches(
          node.items.map(({ body }) => body),
          setting,
        );
      case "TestCommand":
      case "ArithmeticCommand":
        this.#embedded(node, setting.folders);
        return stay;
      case "Function":
        this.#shared.functions.set(node.name.value, node.body);
        this.#bodyOf(node.body, setting);
        return stay;
      case "Coproc":
        this.#bodyOf(node.body, { ...setting, input: { kind: "pipe" } });
        return stay;
    }
  }

  #bodyOf(body: FunctionNode["body"] | Command, setting: Setting): Outcome {
    return body.type === "CompoundList" ? this.#body(body, setting) : this.#commandNode(body, setting);
  }

  /** Any of these may run, one after the other or not at all. */
  #branches(bodies: readonly CompoundList[], setting: Setting): Outcome {
    let folders = setting.folders;
    for (const body of bodies) folders = either(folders, this.#body(body, { ...setting, folders }).any);
    return { ok: folders, any: folders };
  }

  #loop(bodies: readonly CompoundList[], setting: Setting): Outcome {
    const once = this.#branches(bodies, setting);
    if (isSame(once.any, setting.folders)) return once;
    // The second round begins where the first one ended, and nobody knows how many there are.
    return this.#branches(bodies, { ...setting, folders: "unknown" });
  }

  #simple(node: Command, { folders, input }: Setting): Outcome {
    const stay = { ok: folders, any: folders };
    this.#embeddedIn([...node.prefix, ...node.suffix, node.name], folders);
    const ownInput = this.#redirects(node.redirects, { folders, input }) ?? input;
    const assignments = node.prefix.filter((one): one is Assignment => one.type === "Assignment");
    const words = this.#words.of(node, folders);
    if (this.#isTooLong(words)) return stay;
    const [first] = words;
    if (first === undefined) {
      for (const { name } of assignments) {
        if (variableKind(name, undefined) === "deciding") this.#parts.push(decides(name));
      }
      return stay;
    }
    if (MOVES.has(first.value ?? "")) return this.#changeFolder(words, stay, assignments.length > 0);
    const body = first.value === undefined ? undefined : this.#shared.functions.get(first.value);
    if (first.value !== undefined && body !== undefined)
      return this.#call(first.value, body, { folders, input: ownInput });
    const parts = judgeCommand({ words, input: ownInput, folders }, this);
    const isMoved = IN_THIS_SHELL.has(first.value ?? "") && parts.some((part) => MOVES.has(part.words[0] ?? ""));
    this.#parts.push(...withAssignments(parts, assignments, (one) => this.#words.assigned(one, folders)));
    return isMoved ? { ok: "unknown", any: "unknown" } : stay;
  }

  #call(name: string, body: FunctionNode["body"], setting: Setting): Outcome {
    if (this.#active.has(name) || this.#active.size > MAX_DEPTH) {
      this.#parts.push(unjudged(`${name} calls itself`));
      return { ok: "unknown", any: "unknown" };
    }
    this.#active.add(name);
    const outcome = this.#bodyOf(body, setting);
    this.#active.delete(name);
    return { ok: outcome.any, any: either(setting.folders, outcome.any) };
  }

  #changeFolder(words: readonly ShellWord[], { any }: Outcome, hasAssignments: boolean): Outcome {
    this.#parts.push({ level: "reads", words: words.map(({ value }) => value), reasons: [] });
    const folders = hasAssignments ? "unknown" : folderAfter(words, any, this.places.home);
    return { ok: folders, any: either(any, folders) };
  }

  /** Judges where output goes. @returns what is read instead of what was; undefined when that stays. */
  #redirects(redirects: readonly Redirection[], { folders }: Setting): Input | undefined {
    let input: Input | undefined;
    for (const redirect of redirects) {
      if (redirect.type === "HereDoc") {
        const { body, delimiter } = redirect;
        const isPlain = delimiter?.quoted === true || !/[$`\\]/.test(body.text);
        input = { kind: "text", text: isPlain ? body.text : undefined };
        this.#embedded(redirect, folders);
        continue;
      }
      if (redirect.target === undefined) continue;
      this.#embedded(redirect.target, folders);
      for (const word of this.#words.expand(redirect.target, folders)) {
        if (redirect.type === "HereString") input = { kind: "text", text: word.value };
        else {
          const { parts, input: read } = judgeRedirect(redirect.operator, word, folders, this);
          this.#parts.push(...parts);
          input = read ?? input;
        }
      }
    }
    return input;
  }

  #embeddedIn(nodes: readonly (SyntaxNode | undefined)[], folders: Folders): void {
    for (const node of nodes) if (node !== undefined) this.#embedded(node, folders);
  }

  /** Judges the scripts in a word, such as `$(…)`. */
  #embedded(node: SyntaxNode, folders: Folders): void {
    switch (node.type) {
      case "CommandExpansion":
      case "ArithmeticCommandExpansion": {
        this.#inner(node.script, { folders, input: NO_INPUT });
        return;
      }
      case "ProcessSubstitution": {
        this.#inner(node.script, { folders, input: node.operator === ">" ? { kind: "pipe" } : NO_INPUT });
        return;
      }
      default:
        forEachChild(node, (child) => this.#embedded(child, folders));
    }
  }

  #inner(script: ParsedScript | undefined, setting: Setting): void {
    if (script === undefined) this.#parts.push(unjudged("a part of it cannot be read"));
    else this.#list(script.commands, setting);
  }
}
