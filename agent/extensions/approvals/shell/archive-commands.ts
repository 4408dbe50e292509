import type { CommandView } from "./command-view.ts";
import { isSingle, type ShellWord } from "./words.ts";

const TAR_FLAG = /^[cxtruAdvzjJZaphkmoOPSnBiwUGWl]$/;
const TAR_VALUED = /^[fCTXbgHKLNVIF]$/;
const LONG_FLAG =
  /^--(create|extract|get|list|append|update|concatenate|diff|verbose|gzip|gunzip|bzip2|xz|zstd|lzma|lzip|auto-compress|preserve-permissions|same-permissions|same-owner|no-same-owner|no-same-permissions|keep-old-files|skip-old-files|keep-newer-files|overwrite|unlink-first|touch|to-stdout|dereference|sort=\w+|format=\w+|owner=[^/]*|group=[^/]*|mode=[^/]*|mtime=.*|numeric-owner|remove-files|exclude-vcs|exclude-vcs-ignores|exclude-caches|exclude=.*|wildcards|no-wildcards|anchored|no-anchored|no-recursion|recursion|strip-components=\d+|totals|checkpoint=\d+|ignore-failed-read|force-local|sparse|one-file-system|verify|full-time|utc|help|version)$/;
const LONG_VALUED: Record<string, string> = {
  file: "f",
  directory: "C",
  "files-from": "T",
  "exclude-from": "X",
  exclude: "-",
  "strip-components": "-",
  "listed-incremental": "g",
  "index-file": "g",
  transform: "-",
  xform: "-",
};

interface TarCall {
  letters: Set<string>;
  longs: Set<string>;
  /** Values by the letter of their option, in order. */
  values: Map<string, ShellWord[]>;
  operands: ShellWord[];
}

/** Judges `tar`. What an archive holds is not looked at; an option that is not known could run a program. */
export function judgeTar(view: CommandView): void {
  const call = readTar(view);
  const given = (letter: string) => call.values.get(letter) ?? [];
  const is = (letter: string, ...names: string[]) =>
    call.letters.has(letter) || names.some((one) => call.longs.has(one));
  for (const word of given("f")) {
    if (/^[^/]*:/.test(word.value ?? "") && !call.longs.has("force-local")) view.never("reaches another machine");
  }
  for (const word of given("g")) view.write(word);
  for (const word of [...given("T"), ...given("X")]) view.read(word);
  const isChanging =
    is("x", "extract", "get") ||
    ["c", "r", "u", "A"].some((one) => is(one)) ||
    ["create", "append", "update", "concatenate"].some((one) => call.longs.has(one));
  if (!isChanging && (is("t", "list") || is("d", "diff") || call.longs.has("version") || call.longs.has("help"))) {
    for (const word of given("f")) view.read(word);
    return;
  }
  view.raise("changes");
  if (is("x", "extract", "get")) judgeExtraction(view, given("C"), is("P"));
  else {
    for (const word of given("f")) view.write(word);
    for (const word of given("C")) view.read(word);
    if (call.longs.has("remove-files")) for (const word of call.operands) view.remove(word, true);
  }
}

/** One folder after the other is entered. */
function judgeExtraction(view: CommandView, folders: readonly ShellWord[], isAbsolute: boolean): void {
  let way = "";
  for (const word of folders) {
    if (word.value === undefined || !isSingle(word)) view.cannot(`${word.source} is known only when it runs`);
    way = word.value?.startsWith("/") === true || way === "" ? (word.value ?? "") : `${way}/${word.value}`;
    view.write({ ...word, value: way });
  }
  if (isAbsolute) view.never("may write outside the workspace");
}

function readTar(view: CommandView): TarCall {
  const call: TarCall = { letters: new Set(), longs: new Set(), values: new Map(), operands: [] };
  const waiting = [...view.args];
  const add = (letter: string, word: ShellWord | undefined) => {
    if (word !== undefined) call.values.set(letter, [...(call.values.get(letter) ?? []), word]);
    if (word !== undefined && !isSingle(word)) view.cannot(`${word.source} is known only when it runs`);
  };
  if (/^[A-Za-z]+$/.test(waiting[0]?.value ?? "")) {
    for (const letter of waiting.shift()?.value ?? "")
      readLetter(view, call, letter, () => add(letter, waiting.shift()));
  }
  for (let word = waiting.shift(); word !== undefined; word = waiting.shift()) {
    const { value } = word;
    const option = word;
    if (value === undefined || value === "-" || !value.startsWith("-")) call.operands.push(word);
    else if (value === "--") call.operands.push(...waiting.splice(0));
    else if (value.startsWith("--")) {
      const [, name = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(value) ?? [];
      const letter = Object.hasOwn(LONG_VALUED, name) ? LONG_VALUED[name] : undefined;
      if (letter !== undefined) add(letter, inline === undefined ? waiting.shift() : { ...word, value: inline });
      else if (LONG_FLAG.test(value)) call.longs.add(name);
      else if (name === "absolute-names") call.letters.add("P");
      else view.cannot(`${value} of tar may run a program, or write elsewhere`);
    } else readShort(view, call, option, add, waiting);
  }
  return call;
}

function readShort(
  view: CommandView,
  call: TarCall,
  option: ShellWord,
  add: (letter: string, word: ShellWord | undefined) => void,
  waiting: ShellWord[],
): void {
  const letters = [...(option.value ?? "").slice(1)];
  for (const [index, letter] of letters.entries()) {
    const inline = letters.slice(index + 1).join("");
    const isValued = readLetter(view, call, letter, () => {
      add(letter, inline === "" ? waiting.shift() : { ...option, value: inline });
    });
    if (isValued) return;
  }
}

/** @returns whether the option takes a value. */
function readLetter(view: CommandView, call: TarCall, letter: string, takeValue: () => void): boolean {
  if (letter === "I" || letter === "F") view.cannot("tar runs a program that it is told of");
  if (TAR_VALUED.test(letter)) {
    takeValue();
    return true;
  }
  if (!TAR_FLAG.test(letter)) view.cannot(`-${letter} of tar is not known`);
  call.letters.add(letter);
  return false;
}

/** Judges `zip`, whose options may be several letters long. */
export function judgeZip(view: CommandView): void {
  view.raise("changes");
  for (const { value, source } of view.args) {
    if (/^-TT|^--unz/.test(value ?? "")) view.cannot("zip runs a program that it is told of");
    else if (/^(-O|-b|-l[fa]|--(ou|lo|te))/.test(value ?? "")) view.cannot(`${source} of zip may write elsewhere`);
  }
  const [target] = view.parse("x i b t n").operands;
  if (target !== undefined) view.write(target);
}
