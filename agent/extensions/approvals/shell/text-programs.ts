import type { CommandView } from "./command-view.ts";
import { isPlainSed } from "./sed-script.ts";
import type { ShellWord } from "./words.ts";

/** Judges `sed` by its scripts; with `-i` it writes what it reads. */
export function readSed(view: CommandView): void {
  const read = sedArguments(view.args);
  if (read === undefined) {
    view.cannot("sed is told what is not known");
    return;
  }
  const { operands, isInPlace, isPlainSuffix } = read;
  // On some systems the suffix of -i is a word of its own, also an empty one: then the second operand is the script.
  const given = read.scripts.length > 0 ? read.scripts : operands.slice(0, 1);
  const isSuffixApart = isInPlace && read.scripts.length === 0 && /^(\.\w+)?$/.test(operands[0]?.value ?? "x");
  const scripts = isSuffixApart ? [...given.slice(1), ...operands.slice(1, 2)] : given;
  if (!scripts.every(({ value }) => value !== undefined && isPlainSed(value)) || !isPlainSuffix) {
    view.cannot("sed may write files or run commands");
  }
  const files = read.scripts.length > 0 ? operands : operands.slice(isSuffixApart ? 2 : 1);
  for (const word of files) isInPlace ? view.write(word) : view.read(word);
  if (isInPlace) view.raise("changes");
}

interface SedArguments {
  scripts: ShellWord[];
  operands: ShellWord[];
  isInPlace: boolean;
  /** A suffix may name another folder for the file as it was. */
  isPlainSuffix: boolean;
}

const SED_FLAG =
  /^--(quiet|silent|debug|posix|regexp-extended|separate|sandbox|unbuffered|null-data|zero-terminated|follow-symlinks|version|help)$/;

/** @returns undefined when an option is not known, or the script is in a file. */
function sedArguments(args: readonly ShellWord[]): SedArguments | undefined {
  const read: SedArguments = { scripts: [], operands: [], isInPlace: false, isPlainSuffix: true };
  const setSuffix = (suffix: string) => {
    read.isInPlace = true;
    if (/[/*]/.test(suffix)) read.isPlainSuffix = false;
  };
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    const { value } = word;
    if (value === "--") {
      read.operands.push(...args.slice(index + 1));
      break;
    }
    const [, short = "", letter, rest = ""] = /^-([nErsuzba]*)([eilI]?)([\s\S]*)$/.exec(value ?? "") ?? [];
    const [, long, text = ""] = /^(--[a-z-]+)=?([\s\S]*)$/.exec(value ?? "") ?? [];
    if (value === undefined || value === "-" || !value.startsWith("-")) read.operands.push(word);
    else if (long === "--expression" || letter === "e") {
      const inline = long === undefined ? rest : text;
      const next = inline === "" ? args[++index] : { ...word, value: inline };
      if (next !== undefined) read.scripts.push(next);
    } else if (long === "--in-place" || letter === "i" || letter === "I") setSuffix(long === undefined ? rest : text);
    else if (letter === "l" || long === "--line-length") index += (long === undefined ? rest : text) === "" ? 1 : 0;
    else if (!SED_FLAG.test(value) && (long !== undefined || short === "" || rest !== "")) return undefined;
  }
  return read;
}

/** Judges `awk`: a program that prints may write files and run commands, and so may one that calls the system. */
export function readAwk(view: CommandView): void {
  const { operands, options, values } = view.parse("F v f e i l");
  const [program, ...files] = operands;
  const isKnown =
    !["f", "e", "i", "l"].some((name) => values.has(name)) && options.every((name) => name === "F" || name === "v");
  const text = program?.value;
  if (!isKnown || text === undefined || program?.isGlob === true) view.cannot("the program of awk is not known");
  else if (mayRunOrWrite(text)) view.cannot("awk may write files or run commands");
  for (const word of files) view.read(word);
}

/** Output goes elsewhere only behind a `print`; strings and expressions are not told from code. */
function mayRunOrWrite(program: string): boolean {
  const at = program.indexOf("print");
  const printing = at === -1 ? "" : program.slice(at);
  return /system|getline|[@`]/.test(program) || /[>|]/.test(printing.replaceAll("||", ""));
}
