import type { Assignment, CompoundList, Function as FunctionNode, If } from "unbash";
import { CommandView, type Input, type Judge } from "./command-view.ts";
import { variableKind } from "./environment.ts";
import { enter, type Folders } from "./folders.ts";
import type { Part } from "./verdict.ts";
import type { ShellWord } from "./words.ts";

const MAX_COMMANDS = 3000;
/** Commands that change the folder. */
export const MOVES = new Set(["cd", "pushd", "popd"]);
/** Commands that run others in the same shell. */
export const IN_THIS_SHELL = new Set(["eval", "trap", "command", "builtin"]);

/** Where the next command runs when this one worked, and where in any case. */
export interface Outcome {
  ok: Folders;
  any: Folders;
}

/** What all the scripts in a script share. */
export interface Shared {
  functions: Map<string, FunctionNode["body"]>;
  /** How many commands may still be judged: functions and programs that run others could make a short script endless. */
  commandsLeft: number;
}

/** The beginning of a script. */
export function newShared(): Shared {
  return { functions: new Map(), commandsLeft: MAX_COMMANDS };
}

/** Where a node runs, and what it reads. */
export interface Setting {
  folders: Folders;
  input: Input;
}

/**
 * Variables that a command is given count with it.
 * @param textOf the value of one, undefined when it is not known.
 */
export function withAssignments(
  parts: readonly Part[],
  assignments: readonly Assignment[],
  textOf: (assignment: Assignment) => string | undefined,
): Part[] {
  const added: (string | undefined)[] = [];
  const deciding: Part[] = [];
  for (const one of assignments) {
    const value = textOf(one);
    const kind = variableKind(one.name, value);
    if (kind === "deciding") deciding.push(decides(one.name));
    else if (kind === "plain") added.push(value === undefined ? undefined : `${one.name}=${value}`);
  }
  if (added.length === 0) return [...parts, ...deciding];
  const [first, ...others] = parts;
  if (first === undefined) return deciding;
  const isReading = first.level === "reads" || first.level === "reads-elsewhere";
  return [
    { ...first, level: isReading ? "changes" : first.level, words: [...added, ...first.words] },
    ...others,
    ...deciding,
  ];
}

/** Says that a variable is set that must not be. */
export function decides(name: string): Part {
  return { level: "never", words: [undefined], reasons: [`sets ${name}, which decides what runs`] };
}

/** Says that a script cannot be judged. */
export function unjudged(reason: string): Part {
  return { level: "never", words: [undefined], reasons: [`cannot be judged: ${reason}`] };
}

/** All that may run in an `if`, in order. */
export function bodiesOf({ clause, then, elif, else: last }: If): CompoundList[] {
  return [clause, then, ...elif.flatMap((one) => [one.clause, one.then]), ...(last === undefined ? [] : [last])];
}

/** Judges where output goes, or what is read. @returns the input that takes the place of what there was, if it does. */
export function judgeRedirect(
  operator: string,
  word: ShellWord,
  folders: Folders,
  judge: Judge,
): { parts: Part[]; input: Input | undefined } {
  const isCopy = operator.endsWith("&") && /^(\d+-?|-)$/.test(word.value ?? "");
  const isReading = operator === "<" || operator === "<&";
  const input: Input | undefined = isReading || operator === "<>" ? { kind: "file" } : undefined;
  if (isCopy) return { parts: [], input };
  const view = new CommandView(isReading ? "<" : ">", { words: [word], input: { kind: "none" }, folders }, judge);
  if (isReading) view.read(word);
  else view.write(word);
  const isDevice =
    view.level === "changes" && word.value !== undefined && judge.places.locate(word.value).kind === "device";
  const part = { level: view.level, words: [view.name, word.value], reasons: view.reasons };
  return { parts: isDevice ? [] : [part], input };
}

/** Where `cd`, `pushd` or `popd` leads, if it works. */
export function folderAfter(words: readonly ShellWord[], folders: Folders, home: string): Folders {
  const [command, ...args] = words;
  const operands = args.filter(({ value }) => value === undefined || !/^-[Le@]+$|^--$/.test(value));
  const [target] = operands;
  if (target === undefined) return command?.value === "cd" ? enter(folders, home) : "unknown";
  const isPlain = operands.length === 1 && !target.isGlob && !/^-|^\+\d/.test(target.value ?? "");
  return isPlain && command?.value !== "popd" ? enter(folders, target.value) : "unknown";
}
