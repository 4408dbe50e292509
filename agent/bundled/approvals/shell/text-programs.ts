import type { CommandView } from "./command-view.ts";
import { readOptions } from "./options.ts";
import type { ShellWord } from "./words.ts";

const SED_OPTIONS = {
  letters: "nErsuz",
  valued: "el",
  long: "quiet silent regexp-extended posix expression= null-data separate",
};
/** An address of `sed`: a line, the last one, or a pattern without brackets that could hide its end. */
const ADDRESS = "(?:\\d+(?:~\\d+)?|\\$|\\/(?:[^\\/\\\\\\n[]|\\\\.|\\[[^\\]\\\\\\[\\n/]+\\])*\\/I?|[+]\\d+)";
/** Commands that print, delete and replace; all others may write or read files, or run programs. */
const COMMAND = new RegExp(
  `^(?:${ADDRESS}(?:,${ADDRESS})?)? *!? *(?:[pdPDnNgGhHxq=]|q\\d+|:\\w+|[bt] *\\w*|${replacement("/").replace(/^s/, "y")}|${replacement("/")}|${replacement("\\|")}|${replacement("#")}|${replacement("@")}|${replacement(",")})$`,
);
const MAX_SED_LENGTH = 2000;

/** Returns the pattern of an `s` with a delimiter. Its flags cannot be those that run or write. */
function replacement(delimiter: string): string {
  const body = `(?:[^${delimiter}\\\\\\n[]|\\\\[^\\n]|\\[\\^?[^\\]\\\\\\[\\n${delimiter}]+\\])*`;
  const text = `(?:[^${delimiter}\\\\\\n]|\\\\[^\\n])*`;
  return `s${delimiter}${body}${delimiter}${text}${delimiter}[gpiI\\d]*`;
}

/** Judges `sed` by its scripts; with `-i` it writes what it reads. */
export function readSed(view: CommandView): void {
  const inPlace = view.args.findIndex(({ value }) => /^(-i|-i\.\w+|--in-place)$/.test(value ?? ""));
  // On some systems the suffix of -i is a word of its own.
  const isSuffixApart = inPlace !== -1 && /^(\.\w+)?$/.test(view.args[inPlace + 1]?.value ?? "x");
  const args = view.args.filter(
    (_, index) => inPlace === -1 || (index !== inPlace && !(isSuffixApart && index === inPlace + 1)),
  );
  const scripts: ShellWord[] = [];
  for (const [index, word] of args.entries()) {
    const [, inline] = /^(?:-[nErsuz]*e|--expression=)([\s\S]*)$/.exec(word.value ?? "") ?? [];
    const script = inline === "" ? args[index + 1] : inline === undefined ? undefined : { ...word, value: inline };
    if (script !== undefined) scripts.push(script);
  }
  const { operands, options } = readOptions(view, SED_OPTIONS, args);
  const isGiven = options.some((name) => /^(e|expression)$/.test(name));
  if (!isGiven) scripts.push(...operands.slice(0, 1));
  if (
    scripts.length === 0 ||
    !scripts.every(({ value, isGlob }) => value !== undefined && !isGlob && isPlainSed(value))
  )
    view.cannot("sed may write files or run commands");
  for (const word of isGiven ? operands : operands.slice(1)) {
    if (inPlace !== -1) view.write(word);
    else if (word.value !== "-") view.read(word);
  }
  if (inPlace !== -1) view.raise("changes");
}

/** True when a script only prints, deletes and replaces. A `;` in a pattern counts as the end of a command. */
function isPlainSed(script: string): boolean {
  if (script.length > MAX_SED_LENGTH) return false;
  return COMMAND.test(script) || script.split(/[;\n]/).every((one) => COMMAND.test(one.trim()) || one.trim() === "");
}

const AWK_WORDS = new Set(
  "BEGIN END print printf next exit if else for while do in delete length substr split gsub sub toupper tolower index match sprintf int sqrt NR NF FS OFS RS ORS FNR FILENAME RSTART RLENGTH SUBSEP".split(
    " ",
  ),
);
const AWK_TOKEN =
  /\s+|#[^\n]*|"(?:[^"\\\n]|\\.)*"|\d+(?:\.\d+)?|\$|[A-Za-z_]\w*|&&|\|\||[=!<>]=|!~|[-+*%]=|\+\+|--|[-+*%=!<>~?:;,(){}[\]]|\/(?:[^/\\\n[]|\\.|\[[^\]\\\n]+\])*\//y;
/** Behind these a `/` begins a pattern; anywhere else it divides, which can't be checked. */
const BEFORE_PATTERN = /^(|[({,;!~\n]|&&|\|\||!~|\})$/;

/** Judges `awk`: its program may only compute and print. */
export function readAwk(view: CommandView): void {
  const { operands } = readOptions(view, { valued: "Fv" });
  const [program, ...files] = operands;
  if (program?.value === undefined || program.isGlob || !isPlainAwk(program.value))
    view.cannot("awk may read or write other files, or run commands");
  for (const word of files) view.read(word);
}

/** True if a program uses only its own variables and calculations, and compares only in brackets or before an action. */
function isPlainAwk(program: string): boolean {
  let before = "";
  let brackets = 0;
  let braces = 0;
  AWK_TOKEN.lastIndex = 0;
  while (AWK_TOKEN.lastIndex < program.length) {
    const token = AWK_TOKEN.exec(program)?.[0];
    if (token === undefined) return false;
    if (/^[ \t]|^#/.test(token)) continue;
    if (token.startsWith("/") && !BEFORE_PATTERN.test(before)) return false;
    if (/^[A-Za-z_]/.test(token) && !AWK_WORDS.has(token) && !/^[a-z]\w{0,11}$/.test(token)) return false;
    // Functions of this name exist, or could.
    if (token === "(" && /^[A-Za-z_]/.test(before) && !AWK_WORDS.has(before)) return false;
    if (/^(getline|system|close|fflush|function|func|nextfile|printf?\d)$/.test(token)) return false;
    if (token === ">" && brackets === 0 && braces > 0) return false; // output to a file
    if (token === "(") brackets++;
    if (token === ")") brackets--;
    if (token === "{") braces++;
    if (token === "}") braces--;
    before = /^\s*\n\s*$/.test(token) ? "\n" : token;
  }
  return brackets === 0 && braces === 0;
}
