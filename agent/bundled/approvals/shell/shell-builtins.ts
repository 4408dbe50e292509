import type { CommandView } from "./command-view.ts";
import { readOptions } from "./options.ts";
import { variableKind } from "./variables.ts";
import { isSingle } from "./words.ts";

/** Judges a command that prints its words: without quotes, they may match file names, which it then shows. */
export function showNames(view: CommandView): void {
  for (const word of view.args) {
    // Without quotes, the shell would look for files that a value matches.
    if (word.value === undefined && word.listed === undefined && !isSingle(word) && !NUMBER.test(word.source))
      view.cannot(`what ${word.source} becomes is known only when it runs`);
    if (word.isGlob) view.list({ ...word, value: word.value?.replace(/[^/]*$/, "") || "." });
  }
}

/** The allowed formats of `printf`: others, such as `%n`, set variables or calculate. */
const FORMAT = /^(?:[^%]|%%|%[-+ 0#]*\d*(?:\.\d+)?[sdiouxXbqceEfgG])*$/s;

/** Judges `printf`. With `-v`, it sets a variable, and calculates the variable's index, which may run a command. */
export function readPrintf(view: CommandView): void {
  const [first, second] = view.args;
  const format = first?.value === "--" ? second : first;
  if (
    format?.value === undefined ||
    format.isGlob ||
    !FORMAT.test(format.value) ||
    first?.value?.startsWith("-v") === true
  )
    view.cannot("the format of printf may set variables");
  if (first !== undefined && first.value !== "--" && view.mayBeOption(first))
    view.cannot(`${first.source} may be an option of printf`);
  showNames(view);
}

const BINARY = /^(=|==|!=|<|>|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const UNARY = /^-[adefhknprstuwxzGLNOS]$/;
/** Numbers of the shell itself, which are always one word. */
const NUMBER = /^"?\$[?#!$]"?$/;

/** Judges `test` and `[`. Unknown words may appear only where they can't be operators. */
export function readTest(view: CommandView): void {
  const args = view.name === "[" ? view.args.slice(0, -1) : view.args;
  for (const [index, word] of args.entries()) {
    const before = args[index - 1]?.value ?? "";
    const after = args[index + 1]?.value ?? "";
    const isKnown = (word.value !== undefined && !word.isGlob) || NUMBER.test(word.source);
    const isOperand = args.length === 1 || BINARY.test(before) || UNARY.test(before) || BINARY.test(after);
    if (/^-[vR]$/.test(word.value ?? "")) view.cannot(`${word.value} of ${view.name} is not known`);
    if (!isKnown && !(isOperand && /^"/.test(word.source))) view.cannot(`${word.source} may be an operator`);
  }
}

/** Judges `read`, which sets variables of the script. */
export function readLine(view: CommandView): void {
  const { operands } = readOptions(view, { letters: "rs", valued: "dnNtp" });
  for (const { value, source } of operands) {
    if (value === undefined || !/^[a-z_]\w*$/.test(value)) view.cannot(`read sets ${source}`);
  }
}

/**
 * Judges `set`. Settings that make a script stop or print its commands are free; others change the meaning of words and
 * commands.
 */
export function readSet(view: CommandView): void {
  if (view.args.length === 0) view.cannot("set shows all variables");
  for (const [index, value] of view.values.entries()) {
    const isName = /^[-+][eux]*o$/.test(view.values[index - 1] ?? "");
    const isPlain = isName
      ? /^(pipefail|errexit|nounset|xtrace)$/.test(value ?? "")
      : /^[-+][eux]+o?$|^[-+]o$/.test(value ?? "");
    if (!isPlain) view.cannot("set changes what commands mean");
  }
}

/** Judges `unset`. Without `PATH`, for example, the shell looks for commands where it runs. */
export function unsetNames(view: CommandView): void {
  for (const [index, value] of view.values.entries()) {
    const isPlain =
      value !== undefined && /^[A-Za-z_]\w*$/.test(value) && variableKind(value, undefined) !== "deciding";
    if (!isPlain) view.cannot(`unset ${view.args[index]?.source} changes what commands mean`);
  }
}

/** Judges `export`, which gives variables to the commands behind it. */
export function exportNames(view: CommandView): void {
  if (view.args.length === 0) view.cannot("export shows the environment");
  for (const [index, value] of view.values.entries()) {
    const [, name, , text] = /^([A-Za-z_]\w*)(=([\s\S]*))?$/.exec(value ?? "") ?? [];
    const kind = name === undefined ? undefined : variableKind(name, text);
    if (kind === undefined) view.cannot(`what ${view.args[index]?.source} exports is not clear`);
    else if (kind === "deciding") view.never(`sets ${name}, which decides what runs`);
    else if (kind === "plain") view.raise("changes");
  }
}

/** Judges a builtin whose words all have to be of one form. */
export function readNames(view: CommandView, allowed: RegExp): void {
  if (!view.values.every((value) => value !== undefined && allowed.test(value)))
    view.cannot(`${view.name} changes what commands mean`);
}
