import type { CommandView } from "./command-view.ts";
import { variableKind } from "./environment.ts";
import { enter, pathsOf } from "./folders.ts";
import { judgeTool } from "./known-tools.ts";
import type { Rule } from "./reading-commands.ts";
import { plainWord, type ShellWord, unknownWord } from "./words.ts";

/** Commands that run another command, which is then judged in their place. */
export const WRAPPERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["env", runEnv],
  ["nice", (view) => runAfter(view, "n adjustment")],
  ["nohup", (view) => runAfter(view, "")],
  ["time", (view) => runTimed(view)],
  ["stdbuf", (view) => runAfter(view, "i o e input output error")],
  ["setsid", (view) => runAfter(view, "")],
  ["ionice", (view) => runAfter(view, "c n p class classdata")],
  ["timeout", (view) => runAfter(view, "s k signal kill-after", 1)],
  ["gtimeout", (view) => runAfter(view, "s k signal kill-after", 1)],
  ["taskset", (view) => runAfter(view, "", 1)],
  ["caffeinate", (view) => runAfter(view, "t w")],
  ["unbuffer", (view) => runAfter(view, "")],
  ["busybox", (view) => runAfter(view, "")],
  ["toybox", (view) => runAfter(view, "")],
  ["builtin", (view) => runAfter(view, "")],
  ["exec", (view) => runAfter(view, "a")],
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

/** Leaves out options and `operands` more words; what follows is the command. */
function rest(args: readonly ShellWord[], valued: ReadonlySet<string>, operands: number): readonly ShellWord[] {
  let index = 0;
  for (; index < args.length; index++) {
    const value = args[index]?.value;
    if (value === "--") {
      index++;
      break;
    }
    if (value === undefined || !/^-./.test(value)) break;
    const name = value.startsWith("--") ? value.slice(2) : value.slice(-1);
    const isLetterOfMany = !value.startsWith("--") && [...value.slice(1, -1)].some((letter) => valued.has(letter));
    if (valued.has(name) && !isLetterOfMany) index++;
  }
  return args.slice(index + operands);
}

function runAfter(view: CommandView, valued: string, operands = 0): void {
  const words = rest(view.args, new Set(valued.split(" ")), operands);
  if (words.length > 0) view.run(words);
}

function runTimed(view: CommandView): void {
  const { values } = view.parse("o f output format");
  const output = values.get("o") ?? values.get("output");
  if (output !== undefined) view.write(output);
  runAfter(view, "o f output format");
}

function runCommand(view: CommandView): void {
  const [first] = view.args;
  if (first?.value !== undefined && /^-[vV]+$/.test(first.value)) return;
  runAfter(view, "");
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
  let words = rest(view.args, new Set(["u", "C", "unset", "chdir"]), 0);
  for (const [index, { value }] of view.args.entries()) {
    if (value === undefined || view.args.length - index <= words.length) break;
    if (/^-[a-zA-Z0]*S|^--split/.test(value)) {
      view.cannot("env -S makes a command of a text");
      return;
    }
    if (value === "-C" || value === "--chdir") view.moveTo(enter(view.folders, view.args[index + 1]?.value));
    else if (/^(-C.|--chd[a-z]*=)/.test(value)) view.moveTo(enter(view.folders, value.replace(/^(-C|--[a-z]+=)/, "")));
  }
  const setting = /^([^=]*)=([\s\S]*)$/;
  for (let first = words[0]; first !== undefined; first = words[0]) {
    const [, name, value] = setting.exec(first.value ?? first.source) ?? [];
    if (name === undefined) break;
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
  const valued = "I n P L d E s a max-args max-procs max-lines delimiter replace arg-file eof max-chars";
  const words = rest(view.args, new Set(valued.split(" ")), 0);
  const { values, options } = view.parse(valued, view.args.slice(0, view.args.length - words.length));
  const file = values.get("a") ?? values.get("arg-file");
  if (file !== undefined) view.read(file);
  if (words.length === 0) return;
  const mark = values.get("I")?.value ?? values.get("replace")?.value ?? (options.includes("i") ? "{}" : undefined);
  const isMarked = ({ value }: ShellWord) => mark !== undefined && value?.includes(mark) === true;
  const filled = words.map((word) => (isMarked(word) ? unknownWord(word.source) : word));
  view.run(mark === undefined ? [...filled, unknownWord("what xargs adds")] : filled, view.folders, { kind: "none" });
}

function runWatch(view: CommandView): void {
  const words = rest(view.args, new Set(["n", "interval", "q", "equexit"]), 0);
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

const FIND_FILTERS =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer.*|[acm](time|min)|size|empty|perm|user|group|type|samefile|inum|mindepth|links|readable|writable|executable)$/;

/** Judges `find` with what it does to what it finds. */
function judgeFind(view: CommandView): void {
  const { args } = view;
  const start = args.findIndex(
    ({ value }) => value === undefined || (/^[-(!]/.test(value) && !/^-([HLP]|O\d|D)$/.test(value)),
  );
  const roots = (start === -1 ? args : args.slice(0, start)).filter(({ value }) => !/^-/.test(value ?? ""));
  const places = roots.length === 0 ? [plainWord(".")] : roots;
  const tests = start === -1 ? [] : args.slice(start);
  const isFollowing = args.some(({ value }) => value === "-L" || value === "-follow");
  const isFiltered = tests.some(
    ({ value }) => FIND_FILTERS.test(value ?? "") && value !== "-type" && value !== "-mindepth",
  );
  for (const root of places) view.read(root);
  for (let index = 0; index < tests.length; index++) {
    const word = tests[index];
    const value = word?.value;
    if (word !== undefined && value === undefined && !FIND_FILTERS.test(tests[index - 1]?.value ?? "")) {
      view.cannot(`${word.source} is known only when it runs`);
    } else if (value === "-delete") {
      view.raise("changes");
      for (const root of places) isFiltered ? view.write(root) : view.remove(root, true);
    } else if (/^-(fprint0?|fprintf|fls)$/.test(value ?? "")) {
      const target = tests[++index];
      if (target !== undefined) view.write(target);
    } else if (/^-(exec|ok)(dir)?$/.test(value ?? "")) {
      const end = tests.findIndex(({ value: one }, at) => at > index && (one === ";" || one === "+"));
      const command = tests.slice(index + 1, end === -1 ? undefined : end);
      for (const root of places) {
        view.absorb(found(command, root, isFiltered));
        if (!isFiltered && view.level === "changes") forbidWhole(view, root);
      }
      index = end === -1 ? tests.length : end;
    }
  }
  if (isFollowing && view.level !== "reads" && view.level !== "reads-elsewhere") view.cannot("find follows links");
}

/** A change of every file of the workspace is also one of those that are protected. */
function forbidWhole(view: CommandView, root: ShellWord): void {
  const { places } = view.judge;
  const isWhole = pathsOf(root, view.folders)?.some((path) => places.isVital(places.locate(path).real));
  if (isWhole !== false) view.never("changes every file of the workspace");
}

/** Puts what is found in place of `{}`: what it is searched in, or something in it. */
function found(command: readonly ShellWord[], root: ShellWord, isFiltered: boolean): ShellWord[] {
  return command.map((word) => {
    if (word.value?.includes("{}") !== true) return word;
    if (word.value !== "{}" || root.value === undefined) return unknownWord(word.source);
    return { ...root, value: isFiltered ? `${root.value}/found` : root.value, source: word.source };
  });
}
