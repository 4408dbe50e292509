import type { CommandView } from "./command-view.ts";
import { variableKind } from "./environment.ts";
import { judgeFind } from "./find-command.ts";
import { enter } from "./folders.ts";
import { judgeTool } from "./known-tools.ts";
import type { Rule } from "./reading-commands.ts";
import { isSingle, type ShellWord, unknownWord } from "./words.ts";

/** Commands that run another command, which is then judged in their place. */
export const WRAPPERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["env", runEnv],
  ["nice", (view) => runAfter(view, { flags: "0 1 2 3 4 5 6 7 8 9", valued: "n adjustment" })],
  ["nohup", (view) => runAfter(view, {})],
  ["time", runTimed],
  ["stdbuf", (view) => runAfter(view, { valued: "i o e input output error" })],
  ["setsid", (view) => runAfter(view, { flags: "c f w ctty fork wait" })],
  ["ionice", (view) => runAfter(view, { flags: "t ignore", valued: "c n p P u class classdata pid" })],
  ["timeout", (view) => runAfter(view, TIMEOUT, 1)],
  ["gtimeout", (view) => runAfter(view, TIMEOUT, 1)],
  ["taskset", (view) => runAfter(view, { flags: "a c all-tasks cpu-list" }, 1)],
  ["caffeinate", (view) => runAfter(view, { flags: "d i m s u", valued: "t w" })],
  ["unbuffer", (view) => runAfter(view, { flags: "p" })],
  ["busybox", (view) => runAfter(view, {})],
  ["toybox", (view) => runAfter(view, {})],
  ["builtin", (view) => runAfter(view, {})],
  ["exec", (view) => runAfter(view, { flags: "c l", valued: "a" })],
  ["command", runCommand],
  ["npx", runPackage],
  ["bunx", runPackage],
  ["xargs", runXargs],
  ["watch", runWatch],
  [
    "eval",
    (view) => view.code(joined(view.args[0]?.value === "--" ? view.args.slice(1) : view.args), "what eval runs"),
  ],
  ["trap", runTrap],
  ["find", judgeFind],
]);

/** Options that stand before a command. All others could hide where it begins. */
interface Options {
  flags?: string;
  /** Those that take a value: the rest of the word, or the next one. */
  valued?: string;
  /** Those that take the rest of the word, if there is any. */
  optional?: string;
}

interface Rest {
  words: readonly ShellWord[];
  /** Options with a value, also an empty one. */
  values: ReadonlyMap<string, ShellWord>;
}

const TIMEOUT: Options = {
  flags: "v f p foreground preserve-status verbose",
  valued: "s k signal kill-after",
};

/** Leaves out options and `operands` more words; what follows is the command. */
function rest(view: CommandView, options: Options, operands = 0): Rest {
  const { args } = view;
  const values = new Map<string, ShellWord>();
  let index = 0;
  for (; index < args.length; index++) {
    const word = args[index];
    if (word?.value === "--") {
      index++;
      break;
    }
    if (word?.value === undefined || !/^-./.test(word.value)) break;
    const read = readOption(word.value, options);
    if (read === undefined) {
      view.cannot(`${word.value} of ${view.name} is not known`);
      return { words: [], values };
    }
    const taken = read.takesNext ? args[++index] : { ...word, value: read.inline };
    if (taken !== undefined) values.set(read.name, taken);
    if (read.takesNext && taken !== undefined && !isSingle(taken)) view.cannot(`${taken.source} may be several words`);
  }
  for (const word of args.slice(index, index + operands)) {
    if (!isSingle(word)) view.cannot(`${word.source} may be several words`);
  }
  return { words: args.slice(index + operands), values };
}

interface OptionReading {
  name: string;
  inline: string;
  takesNext: boolean;
}

/** @returns undefined for an option that is not known. */
function readOption(text: string, { flags = "", valued = "", optional = "" }: Options): OptionReading | undefined {
  const is = (list: string, name: string) => list.split(" ").includes(name);
  if (text.startsWith("--")) {
    const [, name = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text) ?? [];
    if (is(valued, name)) return { name, inline: inline ?? "", takesNext: inline === undefined };
    return is(flags, name) || is(optional, name) ? { name, inline: inline ?? "", takesNext: false } : undefined;
  }
  const letters = [...text.slice(1)];
  for (const [index, name] of letters.entries()) {
    const inline = letters.slice(index + 1).join("");
    if (is(valued, name)) return { name, inline, takesNext: inline === "" };
    if (is(optional, name)) return { name, inline, takesNext: false };
    if (!is(flags, name)) return undefined;
  }
  return { name: letters.at(-1) ?? "", inline: "", takesNext: false };
}

function runAfter(view: CommandView, options: Options, operands = 0): Rest {
  const read = rest(view, options, operands);
  if (read.words.length > 0) view.run(read.words);
  return read;
}

function runTimed(view: CommandView): void {
  const { values } = runAfter(view, {
    flags: "p v a q append portability verbose quiet",
    valued: "o f output format",
  });
  const output = values.get("o") ?? values.get("output");
  if (output !== undefined) view.write(output);
}

function runCommand(view: CommandView): void {
  const [first] = view.args;
  if (first?.value !== undefined && /^-[vV]+$/.test(first.value)) return;
  runAfter(view, { flags: "p" });
}

/** `-c` runs a script; else the words begin with the name of a package's program. */
function runPackage(view: CommandView): void {
  const { options, values } = view.parse("c p call package");
  const code = values.get("c") ?? values.get("call");
  if (code !== undefined) view.code(code.value, "what npx -c runs");
  else if (options.includes("c") || options.includes("call")) view.cannot("what npx -c runs is not given");
  judgeTool(view);
  view.hidden();
}

function runEnv(view: CommandView): void {
  if (view.args.some(({ value }) => /^-[a-zA-Z0]*S|^--split/.test(value ?? ""))) {
    view.cannot("env -S makes a command of a text");
    return;
  }
  const signals = "block-signal default-signal ignore-signal";
  const read = rest(view, {
    flags: "i 0 v ignore-environment null debug list-signal-handling",
    valued: "u C unset chdir",
    optional: signals,
  });
  const folder = read.values.get("C") ?? read.values.get("chdir");
  if (folder !== undefined) view.moveTo(enter(view.folders, folder.value));
  let words = read.words[0]?.value === "-" ? read.words.slice(1) : read.words;
  const setting = /^([^=]*)=([\s\S]*)$/;
  for (let first = words[0]; first !== undefined; first = words[0]) {
    const [, name, value] = setting.exec(first.value ?? first.source) ?? [];
    if (name === undefined) break;
    if (first.value === undefined && !isSingle(first)) view.cannot(`${first.source} may be several words`);
    judgeVariable(view, name, first.value === undefined ? undefined : value);
    words = words.slice(1);
  }
  if (words.length > 0) view.run(words);
}

/** Judges that a variable is set for a command. */
export function judgeVariable(view: CommandView, name: string, value: string | undefined): void {
  const kind = variableKind(name, value);
  if (kind === "deciding") view.never(`sets ${name}, which decides what runs`);
  if (kind === "plain") view.raise("changes");
}

/** The operands are more words than anybody knows. */
function runXargs(view: CommandView): void {
  const { words, values } = rest(view, {
    flags: "0 o p r t x null interactive no-run-if-empty verbose exit show-limits open-tty",
    valued: "I n P L d E s a J R S max-args max-procs delimiter arg-file max-chars",
    optional: "i e l replace eof max-lines",
  });
  const file = values.get("a") ?? values.get("arg-file");
  if (file !== undefined) view.read(file);
  if (words.length === 0) return;
  const marks = ["I", "J", "i", "replace"].flatMap((name) => {
    const given = values.get(name);
    return given === undefined ? [] : [given.value === "" && name !== "I" ? "{}" : given.value];
  });
  const isMarked = ({ value }: ShellWord) => marks.some((mark) => mark === undefined || value?.includes(mark) === true);
  const filled = words.map((word) => (isMarked(word) ? unknownWord(word.source) : word));
  view.run(marks.length === 0 ? [...filled, unknownWord("what xargs adds")] : filled, view.folders, { kind: "none" });
}

function runWatch(view: CommandView): void {
  const { words } = rest(view, {
    flags: "b c d e g p t w x beep color errexit chgexit precise no-title exec no-wrap differences",
    valued: "n q interval equexit",
  });
  view.code(joined(words), "what watch runs");
}

function runTrap(view: CommandView): void {
  const [action] = view.args.filter(({ value }) => value !== "--");
  if (action === undefined || action.value === "-" || /^-[lp]$/.test(action.value ?? "")) return;
  view.code(action.value, "what trap runs");
}

function joined(words: readonly ShellWord[]): string | undefined {
  const values = words.map(({ value, isGlob }) => (isGlob ? undefined : value));
  return values.every((value) => value !== undefined) ? values.join(" ") : undefined;
}
