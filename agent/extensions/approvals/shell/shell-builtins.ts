import type { CommandView } from "./command-view.ts";
import { variableKind } from "./environment.ts";
import { isSingle, type ShellWord } from "./words.ts";

/** Numbers of the shell itself. */
const PLAIN_NUMBER = /^"?\$[?#!$]"?$/;

/** Judges `printf`: with `-v` it sets a variable, and an index of one is calculated, which may run a command. */
export function readPrintf(view: CommandView): void {
  const [option, name] = view.args;
  if (option !== undefined && view.mayBeOption(option) && (name !== undefined || !isSingle(option))) {
    view.cannot(`${option.source} may be an option of printf`);
  }
  if (option?.value?.startsWith("-v") !== true) return;
  const target = option.value === "-v" ? name?.value : option.value.slice(2);
  if (target === undefined || !/^[A-Za-z_]\w*$/.test(target)) view.cannot("printf -v sets what is not known");
  else if (variableKind(target, undefined) === "deciding") view.never(`sets ${target}, which decides what runs`);
}

/** Judges `test` and `[`: `-v` calculates the index of its variable, and calculating may run a command. */
export function readTest(view: CommandView): void {
  const args = view.name === "[" ? view.args.slice(0, -1) : view.args;
  for (const [index, word] of args.entries()) {
    const next = args[index + 1];
    if (/^-[vR]$/.test(word.value ?? "") && next !== undefined && !/^\w+$/.test(next.value ?? "")) {
      view.cannot("-v is calculated when it runs");
    }
    if (word.isGlob && view.mayBeOption(word)) view.cannot(`${word.source} may be an operator`);
    if (word.value !== undefined || PLAIN_NUMBER.test(word.source)) continue;
    if (!isSingle(word) || !isOperand(args, index)) view.cannot(`${word.source} may be an operator`);
  }
}

const BINARY = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const UNARY = /^-[a-hknprstuwxzGLNOS]$/;

/** Whether a word cannot be anything but what an operator beside it works on. */
function isOperand(args: readonly ShellWord[], index: number): boolean {
  const before = args[index - 1]?.value ?? "";
  const after = args[index + 1]?.value ?? "";
  return args.length === 1 || BINARY.test(before) || UNARY.test(before) || BINARY.test(after);
}

/** Judges `jobs` and `wait`. */
export function readJobs(view: CommandView): void {
  const isRisky = view.args.some((word) =>
    word.value === undefined
      ? !(view.name === "wait" && PLAIN_NUMBER.test(word.source))
      : /^-\w*[xp]/.test(word.value) || word.isGlob,
  );
  if (isRisky) view.cannot(`${view.name} runs a command or sets a variable`);
}

const PLAIN_SETTINGS = new Set(
  "pipefail errexit nounset xtrace verbose noglob noclobber errtrace functrace".split(" "),
);

/** Only what makes a script stop or talk: other settings change what words and commands mean. */
export function readSet(view: CommandView): void {
  const values = view.args.map(({ value }) => value);
  const end = values.indexOf("--");
  const options = end === -1 ? values : values.slice(0, end);
  for (const [index, value] of options.entries()) {
    const isName = /^[-+]\w*o$/.test(options[index - 1] ?? "");
    const isPlain = isName ? PLAIN_SETTINGS.has(value ?? "") : /^[-+][eEuxvfCT]*o?$/.test(value ?? "");
    if (!isPlain) view.cannot("set changes what commands mean");
  }
}

/** Judges `shopt`, which is like `set`. */
export function readShopt(view: CommandView): void {
  const { operands, options } = view.parse();
  if (!options.includes("s") && !options.includes("u")) return;
  const known = new Set(["nullglob", "failglob", "extglob", "nocasematch", "inherit_errexit"]);
  if (!operands.every(({ value }) => known.has(value ?? ""))) view.cannot("shopt changes what commands mean");
}

/** Judges commands that give variables values and attributes. */
export function judgeDeclaration(view: CommandView): void {
  const options = view.args.flatMap(({ value }) => (/^[-+]/.test(value ?? "") ? [value ?? ""] : []));
  const isExporting =
    view.name === "export" ? !options.some((one) => /^-\w*[nfp]/.test(one)) : options.some((one) => /^-\w*x/.test(one));
  for (const word of view.args) {
    const text = word.value ?? word.source;
    if (/^[-+]/.test(text)) {
      if (/^-\w*[ni]/.test(text) && view.name !== "export" && view.name !== "unset")
        view.cannot(`${view.name} ${text} changes what names mean`);
      continue;
    }
    const [, name, value] = /^(\w+)\+?(?:=([\s\S]*))?$/.exec(text) ?? [];
    if (name === undefined || value?.startsWith("(")) {
      view.cannot(`${text} is known only when it runs`);
      continue;
    }
    const kind = variableKind(name, word.value === undefined ? undefined : value);
    if (kind === "deciding" && value !== undefined) view.never(`sets ${name}, which decides what runs`);
    // Without a path, commands are looked for where the shell is.
    if (view.name === "unset" && name === "PATH") view.never(`unsets ${name}, which decides what runs`);
    if (kind === "plain" && isExporting) view.raise("changes");
  }
}

/** Judges commands that read into variables. */
export function judgeReader(view: CommandView): void {
  const { operands, options, values } = view.parse("a d i n N p t u C c O s");
  if (view.name !== "read" && options.includes("C")) view.cannot(`${view.name} -C runs a command`);
  const array = view.name === "read" ? values.get("a") : undefined;
  const names = [...(view.name === "getopts" ? operands.slice(1) : operands), ...(array === undefined ? [] : [array])];
  for (const { value, source } of names) {
    if (value === undefined || !/^\w+$/.test(value)) view.cannot(`${source} is known only when it runs`);
    else if (variableKind(value, undefined) === "deciding") view.never(`sets ${value}, which decides what runs`);
  }
}
