import type { CommandView } from "./command-view.ts";
import { fixedWords, judgeNamedPaths } from "./known-tools.ts";
import type { ShellWord } from "./words.ts";

const SHELLS = new Set(["bash", "sh", "dash", "ash", "rbash"]);
const OTHER_SHELLS = new Set([
  "zsh",
  "ksh",
  "mksh",
  "fish",
  "csh",
  "tcsh",
  "pwsh",
  "powershell",
  "cmd",
  "nu",
  "xonsh",
  "elvish",
]);
/** Programs that run what they read when no script is named. */
const INTERPRETER =
  /^(python[\d.]*|pypy\d*|node|nodejs|ruby[\d.]*|perl[\d.]*|php[\d.]*|lua[\d.]*|luajit|deno|bun|tsx|ts-node|Rscript|R|julia|ghci|osascript|groovy|scala|kotlin|tclsh|expect|guile|racket|sbcl|elixir|iex|erl|swift|ocaml|octave|gdb|lldb|psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|ed|ex|vi|vim|nvim|emacs|m4|dc|gnuplot)$/;
/** Programs that read commands also when a file is named. */
const READS_COMMANDS =
  /^(gdb|lldb|psql|mysql|mariadb|sqlite3|mongosh?|redis-cli|ed|ex|vi|vim|nvim|emacs|m4|dc|gnuplot|expect)$/;
/** Options that name the code, or only ask; which letters do so differs. */
const NAMES_CODE = /^(--(eval|print|command|module|version|help|check|test)|-[vVh])$/;
const CODE_LETTERS: readonly [RegExp, RegExp][] = [
  [/^(python|pypy)/, /^-[a-zA-Z]*[cm]/],
  [/^php/, /^-[a-zA-Z]*[rf]$/],
  [/^node/, /^-[a-zA-Z]*[ep]$/],
  [/./, /^-[a-zA-Z]*[eE]$/],
];
/** Options of interpreters whose value is no script. */
const VALUED =
  "W X r I d C Q require import loader experimental-loader conditions env-file input-type check-hash-based-pycs title";

/** Whether a command runs code that it is given. @returns false when it is none of these. */
export function judgeInterpreter(view: CommandView): boolean {
  if (SHELLS.has(view.name)) {
    judgeShell(view);
    return true;
  }
  if (OTHER_SHELLS.has(view.name)) {
    view.cannot(`${view.name} has a grammar of its own`);
    return true;
  }
  if (!INTERPRETER.test(view.name)) return false;
  view.raise("changes");
  const { args, input } = view;
  const { operands } = view.parse(VALUED);
  const letters = CODE_LETTERS.find(([name]) => name.test(view.name))?.[1];
  const isGiven = args.some(({ value = "" }) => NAMES_CODE.test(value) || letters?.test(value) === true);
  const [script] = operands;
  const isRead = READS_COMMANDS.test(view.name) || (!isGiven && (script === undefined || script.value === "-"));
  if (input.kind !== "none" && isRead) view.cannot(`a program is fed to ${view.name}`);
  if (/^\/(dev|proc)\//.test(script?.value ?? "")) view.cannot(`${script?.source} is known only when it runs`);
  if (view.name === "deno" && args.some(({ value }) => /^[a-z]+:/.test(value ?? ""))) {
    view.cannot("deno runs a program of another machine");
  }
  if (fixedWords([view.name, ...args.map(({ value }) => value)]) !== undefined) judgeNamedPaths(view);
  scriptPlace(view, script);
  return true;
}

function judgeShell(view: CommandView): void {
  const { args } = view;
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    const value = word?.value;
    if (value === undefined) {
      view.cannot(`${word?.source} is known only when it runs`);
      return;
    }
    if (value === "--" || !/^[-+]./.test(value)) {
      judgeScript(view, value === "--" ? args[index + 1] : word);
      return;
    }
    if (/^--(rcfile|init-file)/.test(value)) {
      view.cannot(`${value} runs a file`);
      return;
    }
    const isSetting = /^[-+]\w*[oO]/.test(value);
    if (/^-\w*c/.test(value)) {
      const code = args.slice(index + 1).find((one) => !/^[-+]./.test(one.value ?? ""));
      if (isSetting) view.cannot(`${value} mixes settings and code`);
      else view.code(code?.value, `the code of ${view.name} -c`);
      return;
    }
    if (isSetting) index++; // its name follows
    if (/^-\w*s/.test(value)) break;
  }
  readCode(view);
}

function judgeScript(view: CommandView, script: ShellWord | undefined): void {
  view.raise("changes");
  if (script === undefined) {
    readCode(view);
    return;
  }
  if (script.value === undefined) {
    view.cannot(`${script.source} is known only when it runs`);
    return;
  }
  if (/^\/(dev|proc)\//.test(script.value)) {
    if (view.input.kind === "none") view.cannot(`${script.value} is known only when it runs`);
    else readCode(view);
    return;
  }
  scriptPlace(view, script);
}

/** A shell without a script runs what it reads. */
function readCode(view: CommandView): void {
  const { input } = view;
  if (input.kind === "none") {
    view.raise("changes");
    return;
  }
  if (input.kind === "text") {
    view.code(input.text, `what ${view.name} reads`);
    return;
  }
  view.cannot(`what is fed to ${view.name} is known only when it runs`);
}

/** A script in the folder for temporary files may be another one the next time. */
function scriptPlace(view: CommandView, script: ShellWord | undefined): void {
  if (script?.value === undefined || !script.value.includes("/") || view.folders === "unknown") return;
  for (const folder of view.folders) {
    const path = script.value.startsWith("/") ? script.value : `${folder}/${script.value}`;
    const { kind, real } = view.judge.places.locate(path);
    if (kind === "temporary") view.raise("temporary", `runs a file outside the workspace: ${real}`);
  }
}
