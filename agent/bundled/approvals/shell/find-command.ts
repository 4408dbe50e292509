import { basename } from "node:path";
import type { CommandView } from "./command-view.ts";
import { pathsOf } from "./folders.ts";
import { globTest } from "./glob.ts";
import { findSecret } from "./secret-search.ts";
import { plainWord, type ShellWord, unknownWord } from "./words.ts";

/** Tests and settings with a value. */
const VALUED =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer\w*|anewer|cnewer|[acm](time|min)|used|size|perm|user|uid|group|gid|x?type|fstype|samefile|inum|links|maxdepth|mindepth|regextype|printf)$/;
const ALONE =
  /^(-(empty|readable|writable|executable|true|false|not|a|and|o|or|print|print0|ls|prune|quit|depth|d|xdev|mount|daystart|nouser|nogroup)|[!(),])$/;

/** With these, a test may pass files that it should exclude. */
const WIDENING = /^(-not|!|-o|-or|,|-prune)$/;
/** Commands that show nothing of a file's content. */
const NAMES_ONLY = /^(ls|stat|du|file|basename|dirname|echo|realpath|readlink)$/;
/** Commands that run others, for which the name of a file could become code, and those that write the last of several files. */
const REFUSED = /^(\w*sh|env|xargs|time|timeout|nice|nohup|command|find|sed|awk|git|uniq|xxd|base64|cmp)$/;

/** Judges `find`. It may list files, and run commands that only read; anything else needs a question. */
export function judgeFind(view: CommandView): void {
  const { args } = view;
  const first = args.findIndex(({ value }) => value === undefined || /^[-(!]/.test(value));
  const start = first === -1 ? args.length : first;
  const roots = start === 0 ? [plainWord(".")] : args.slice(0, start);
  for (const root of roots) {
    if (view.mayBeOption(root)) view.cannot(`${root.source} may be an option of find`);
    view.list(root);
  }
  const found: FoundFiles = { roots, isWider: args.some(({ value }) => WIDENING.test(value ?? "")) };
  for (let index = start; index < args.length; index++) {
    const word = args[index];
    const value = word?.isGlob === true ? undefined : word?.value;
    if (value !== undefined && VALUED.test(value)) {
      const test = args[++index];
      judgeValue(view, test);
      if (value === "-name") found.name = test;
    } else if (value === "-exec") index = judgeExec(view, found, index);
    else if (value === undefined || !ALONE.test(value)) view.cannot(`${word?.source} of find is not known`);
  }
}

/** The files that `find` runs a command for. */
interface FoundFiles {
  roots: readonly ShellWord[];
  /** The last name test before the command. */
  name?: ShellWord | undefined;
  /** True when a test may pass files that another one should exclude. */
  isWider: boolean;
}

/** An unknown value, or a glob that matches several files, could add other tests. */
function judgeValue(view: CommandView, word: ShellWord | undefined): void {
  if (word?.value === undefined && !/^"[^"]*"$/.test(word?.source ?? ""))
    view.cannot(`${word?.source} is known only when it runs`);
  else if (word?.isGlob === true && view.mayBeOption(word)) view.cannot(`${word.source} may be an option of find`);
}

/** @returns where the command ends. */
function judgeExec(view: CommandView, { roots, name, isWider }: FoundFiles, at: number): number {
  const { args } = view;
  const end = args.findIndex(
    ({ value }, index) => index > at && (value === ";" || (value === "+" && args[index - 1]?.value === "{}")),
  );
  if (end === -1) {
    view.cannot("where the command of find ends is not clear");
    return args.length;
  }
  const command = args.slice(at + 1, end);
  const program = command[0]?.value ?? "";
  const isPlain = command.every(({ value }) => value === "{}" || value?.includes("{}") !== true);
  const isFound = name?.value === undefined || isWider ? () => true : globTest(name.value, true);
  for (const root of roots) {
    view.absorb(command.map((word) => (word.value === "{}" ? foundIn(root, word) : word)));
    if (NAMES_ONLY.test(program)) continue;
    view.read(root);
    view.show(
      findSecret(pathsOf(root, view.folders) ?? [], { places: view.judge.places, followsLinks: true, isFound }),
    );
  }
  if (!isPlain || REFUSED.test(basename(program)) || !view.isReading)
    view.cannot("find changes what it finds, or runs other commands");
  return end;
}

/** Returns a word for a file that `find` finds in a folder. */
function foundIn({ value }: ShellWord, { source }: ShellWord): ShellWord {
  return value === undefined ? unknownWord(source) : { value: `${value}/found`, isGlob: false, source };
}
