import type { CommandView } from "./command-view.ts";
import { isSingle, type ShellWord } from "./words.ts";

/** The options that a command may be given. Any other one may write files, run programs or change what the words behind it mean. */
export interface OptionSpec {
  /** Letters of options; digits may stand among them, as in `-n5`. */
  letters?: string;
  /** Letters of options whose value is text: the rest of the word, or the next one. */
  valued?: string;
  /** Letters of options whose value is a number: the rest of the word, or the next one. */
  numbered?: string;
  /** Long options, without their dashes. Those that end in `=` take a value, behind a `=` or as the next word. */
  long?: string;
}

/** Commands that read files and have no option that does more: names of files that look like options do no harm. */
export const HAS_ONLY_HARMLESS_OPTIONS =
  /^(cat|head|tail|wc|ls|grep|egrep|fgrep|stat|du|md5sum|sha1sum|sha256sum|cksum|basename|dirname|echo|realpath)$/;

/** Options and operands of a command, told apart. */
export interface ReadOptions {
  /** Words that are neither an option nor the value of one. */
  operands: ShellWord[];
  /** Letters and long names, in order. */
  options: string[];
}

/**
 * Tells options from operands, and says that a command can't be checked whose options are not all allowed. A shortened long option is
 * not allowed, since it may be another one.
 */
export function readOptions(view: CommandView, spec: OptionSpec, args = view.args): ReadOptions {
  const long = new Set((spec.long ?? "").split(" "));
  const read: ReadOptions = { operands: [], options: [] };
  for (let index = 0; index < args.length; index++) {
    const word = args[index];
    if (word === undefined) break;
    const { value } = word;
    if (value === "--" && !word.isGlob) {
      read.operands.push(...args.slice(index + 1));
      break;
    }
    const isHarmless = word.listed !== undefined && HAS_ONLY_HARMLESS_OPTIONS.test(view.name);
    if (value === "-" || isHarmless || !view.mayBeOption(word)) read.operands.push(word);
    else if (value === undefined || (word.isGlob && !/^--[\w-]+=/.test(value)))
      view.cannot(`${word.source} may be an option of ${view.name}`);
    else if (value.startsWith("--")) index += readLong(view, [word, args[index + 1]], long, read) ? 1 : 0;
    else index += readLetters(view, index, args, spec, read) ? 1 : 0;
  }
  return read;
}

/** A value that becomes several words would bring options of its own. */
export function requireOneWord(view: CommandView, word: ShellWord | undefined): void {
  if (word !== undefined && (!isSingle(word) || word.listed !== undefined))
    view.cannot(`${word.source} may be several words`);
}

/** @returns true when the next word belongs to the option. */
function readLong(
  view: CommandView,
  [word, next]: readonly [ShellWord, ShellWord | undefined],
  allowed: ReadonlySet<string>,
  read: ReadOptions,
): boolean {
  const [, name = "", inline] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word.value ?? "") ?? [];
  const takesValue = allowed.has(`${name}=`);
  read.options.push(name);
  if (!takesValue && (inline !== undefined || !allowed.has(name)))
    view.cannot(`${word.value} of ${view.name} is not known`);
  const takesNext = takesValue && inline === undefined && !allowed.has(name);
  if (takesNext) requireOneWord(view, next);
  return takesNext;
}

/** @returns true when the next word belongs to the option. */
function readLetters(
  view: CommandView,
  at: number,
  args: readonly ShellWord[],
  { letters = "", valued = "", numbered = "" }: OptionSpec,
  read: ReadOptions,
): boolean {
  const all = [...(args[at]?.value ?? "").slice(1)];
  for (const [index, letter] of all.entries()) {
    const isLast = index === all.length - 1;
    if (valued.includes(letter) || numbered.includes(letter)) {
      read.options.push(letter);
      if (isLast) requireOneWord(view, args[at + 1]);
      const value = isLast ? args[at + 1]?.value : all.slice(index + 1).join("");
      if (numbered.includes(letter) && !/^\d+$/.test(value ?? ""))
        view.cannot(`-${letter} of ${view.name} takes a number`);
      return isLast;
    }
    if (letters.includes(letter)) read.options.push(letter);
    else if (!/\d/.test(letter)) {
      view.cannot(`-${letter} of ${view.name} is not known`);
      return false;
    }
  }
  return false;
}
