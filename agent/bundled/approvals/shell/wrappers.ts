import type { CommandView } from "./command-view.ts";
import { HAS_ONLY_HARMLESS_OPTIONS, type OptionSpec, readOptions } from "./options.ts";
import type { Rule } from "./readers.ts";
import { variableKind } from "./variables.ts";
import { type ShellWord, unknownWord } from "./words.ts";

/** Commands that run another command, which is judged instead. */
export const WRAPPERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  [
    "timeout",
    (view) =>
      runAfter(view, /^(-[vfp]|--foreground|--preserve-status|-k\d+s?|--kill-after=\d+s?)$/, /^\d+(\.\d+)?[smhd]?$/),
  ],
  ["gtimeout", (view) => runAfter(view, /^(-[vfp]|--foreground|--preserve-status)$/, /^\d+(\.\d+)?[smhd]?$/)],
  ["nice", runNice],
  ["nohup", (view) => runAfter(view, /^$/)],
  ["time", (view) => runAfter(view, /^-p$/)],
  ["stdbuf", (view) => runAfter(view, /^-[ioe][L0]$/)],
  ["caffeinate", (view) => runAfter(view, /^-[dimsu]+$/)],
  ["command", runCommand],
  ["env", runEnv],
  ["xargs", runXargs],
  ["bash", runShell],
  ["sh", runShell],
  ["dash", runShell],
]);

/** Judges the command after options of this form, and after an operand if one is required. */
function runAfter(view: CommandView, option: RegExp, operand?: RegExp): void {
  const { args, values } = view;
  let start = 0;
  while (option.test(values[start] ?? "-")) start++;
  if (operand !== undefined && !operand.test(values[start++] ?? ""))
    view.cannot(`how long ${view.name} waits is not clear`);
  runFrom(view, args.slice(start));
}

function runFrom(view: CommandView, words: readonly ShellWord[]): void {
  const [first] = words;
  if (first === undefined) view.cannot(`what ${view.name} runs is not given`);
  else if (first.value === undefined || /^-|=/.test(first.value))
    view.cannot(`${first.source} of ${view.name} is not known`);
  else view.run(words);
}

function runNice(view: CommandView): void {
  const isCounted = view.values[0] === "-n" && /^\d+$/.test(view.values[1] ?? "");
  if (isCounted) runFrom(view, view.args.slice(2));
  else runAfter(view, /^-n?\d+$/);
}

function runCommand(view: CommandView): void {
  const [first] = view.values;
  if (first !== undefined && /^-[vV]$/.test(first)) return;
  runFrom(view, view.args);
}

/** Without a command, `env` shows the environment, where keys may be. */
function runEnv(view: CommandView): void {
  let start = 0;
  for (const value of view.values) {
    const [, name, text] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(value ?? "") ?? [];
    if (name === undefined) break;
    const kind = variableKind(name, text);
    if (kind === "deciding") view.never(`sets ${name}, which decides what runs`);
    if (kind === "plain") view.raise("changes");
    start++;
  }
  if (start === view.args.length) view.cannot("env shows the environment");
  else runFrom(view, view.args.slice(start));
}

const XARGS: OptionSpec = { letters: "0rt", numbered: "nPL", valued: "Id", long: "null no-run-if-empty" };
/** Judges `xargs`, which adds words that are known only when it runs. They must be names of files in the workspace, for a command that reads. */
function runXargs(view: CommandView): void {
  const start = commandStart(view);
  const given = view.args.slice(0, start);
  readOptions(view, XARGS, given);
  const [name, ...rest] = view.args.slice(start);
  if (name?.value === undefined || !HAS_ONLY_HARMLESS_OPTIONS.test(name.value)) {
    view.cannot("what xargs adds is known only when it runs");
    return;
  }
  const added: ShellWord = unknownWord("what xargs adds");
  if (typeof view.input === "object") added.listed = view.input;
  const isReplacing = given.some(({ value }) => value?.startsWith("-I"));
  if (isReplacing && !given.some(({ value }) => /^(-I)?\{\}$/.test(value ?? "")))
    view.cannot("what xargs puts where is not clear");
  const filled = rest.map((word) =>
    !isReplacing || word.value?.includes("{}") !== true ? word : word.value === "{}" ? added : unknownWord(word.source),
  );
  view.run([name, ...filled, ...(isReplacing ? [] : [added])]);
}

/** Returns where the command begins behind the options of `xargs`. */
function commandStart({ values }: CommandView): number {
  let index = 0;
  while (/^-/.test(values[index] ?? "")) index += /^-[0rt]*[InPLd]$/.test(values[index] ?? "") ? 2 : 1;
  return index;
}

/** Judges the code of `bash -c`; any other argument of a shell is a script or a setting. */
function runShell(view: CommandView): void {
  const [option, code, ...others] = view.args;
  if (!/^-[eluxi]*c$/.test(option?.value ?? "")) return;
  if (code?.value === undefined || code.isGlob || others.length > 0)
    view.cannot(`the code of ${view.name} -c is known only when it runs`);
  else view.inner.push(...view.judge.script(code.value, view.folders));
}
