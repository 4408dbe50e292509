import { basename } from "node:path";
import type { CommandView } from "./command-view.ts";
import { pathsOf } from "./folders.ts";
import { globTest } from "./glob.ts";
import { isSingle, plainWord, type ShellWord, unknownWord } from "./words.ts";

/** Tests with a value. */
const VALUED =
  /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer\w*|anewer|cnewer|[acm](time|min)|[BC](time|min|newer)|used|size|perm|user|uid|group|gid|x?type|fstype|samefile|inum|links|maxdepth|mindepth|regextype|printf|context|flags)$/;
const ALONE =
  /^(-(empty|readable|writable|executable|true|false|not|a|and|o|or|print|print0|ls|prune|quit|depth|d|xdev|x|mount|follow|daystart|nouser|nogroup|noleaf|warn|nowarn|ignore_readdir_race|noignore_readdir_race)|[!(),])$/;
/** Tests by which a few files are meant, and not nearly all. */
const FILTER = /^-(i?name|i?path|i?wholename|i?regex|i?lname|newer\w*|[acm](time|min)|empty|samefile)$/;
/** With these a test may let through what it was to keep. */
const WIDENING = /^(-not|!|-o|-or|,|-prune)$/;
/** Names of protected files that a test is held against. */
const PROTECTED_NAMES = ["config", "head", "pre-commit", ".env", ".bashrc"];
const STARTS = /^-([HLPEXdsx]+|O\d|f)$/;

/** Judges `find` with what it does to what it finds. */
export function judgeFind(view: CommandView): void {
  const { args } = view;
  const start = args.findIndex(({ value }) => value === undefined || (/^[-(!]/.test(value) && !STARTS.test(value)));
  const roots = (start === -1 ? args : args.slice(0, start)).filter(({ value }) => !/^-/.test(value ?? ""));
  const search: Search = {
    view,
    roots: roots.length === 0 ? [plainWord(".")] : roots,
    tests: start === -1 ? [] : args.slice(start),
    isFiltered: false,
  };
  search.isFiltered = isFiltered(search.tests);
  if (roots.some((root) => view.mayBeOption(root))) view.cannot("what find is told is known only when it runs");
  for (const root of search.roots) view.read(root);
  for (let index = 0; index < search.tests.length; ) index += judgeTest(search, index);
  const isChanging = view.level !== "reads" && view.level !== "reads-elsewhere";
  if (!isChanging) return;
  if (args.some(({ value }) => value === "-follow" || /^-[HPEXdsx]*L/.test(value ?? ""))) {
    view.cannot("find follows links");
  }
  if (search.isFiltered && meansProtected(search.tests)) view.never("may change protected files");
}

interface Search {
  view: CommandView;
  roots: readonly ShellWord[];
  tests: readonly ShellWord[];
  isFiltered: boolean;
}

/** @returns how many words were read. */
function judgeTest({ view, roots, tests, isFiltered }: Search, index: number): number {
  const word = tests[index];
  const value = word?.value;
  if (word === undefined) return 1;
  if (value === undefined) {
    view.cannot(`${word.source} is known only when it runs`);
    return 1;
  }
  const next = tests[index + 1];
  if (VALUED.test(value)) {
    if (next !== undefined && !isSingle(next) && view.mayBeOption(next))
      view.cannot(`${next.source} is known only when it runs`);
    return 2;
  }
  if (value === "-delete") {
    view.raise("changes");
    for (const root of roots) isFiltered ? view.write(root) : view.remove(root, true);
    return 1;
  }
  if (/^-(fprint0?|fprintf|fls)$/.test(value)) {
    if (next !== undefined) view.write(next);
    if (value === "-fprintf" && tests[index + 2]?.value === undefined) view.cannot("what find -fprintf is told");
    return value === "-fprintf" ? 3 : 2;
  }
  if (/^-(exec|ok)(dir)?$/.test(value)) return judgeExec({ view, roots, tests, isFiltered }, index);
  if (!ALONE.test(value)) view.cannot(`${value} of find is not known`);
  return 1;
}

function judgeExec({ view, roots, tests, isFiltered }: Search, index: number): number {
  const end = tests.findIndex(
    ({ value }, at) => at > index && (value === ";" || (value === "+" && tests[at - 1]?.value === "{}")),
  );
  if (end === -1) view.cannot("where the command of find ends is not clear");
  const command = tests.slice(index + 1, end === -1 ? undefined : end);
  for (const root of roots) {
    view.absorb(found(command, root, isFiltered));
    if (!isFiltered && view.level === "changes") forbidWhole(view, root);
  }
  return command.length + 2;
}

function isFiltered(tests: readonly ShellWord[]): boolean {
  if (tests.some(({ value }) => WIDENING.test(value ?? ""))) return false;
  return tests.some(({ value }, index) => {
    if (!FILTER.test(value ?? "")) return false;
    return value === "-empty" || /\w/.test(tests[index + 1]?.value ?? "");
  });
}

function meansProtected(tests: readonly ShellWord[]): boolean {
  const names = tests.flatMap(({ value }, index) => (/^-i?name$/.test(value ?? "") ? [tests[index + 1]?.value] : []));
  return names.some((name) => name !== undefined && PROTECTED_NAMES.some(globTest(name.toLowerCase())));
}

/** A change of every file of the workspace is also one of those that are protected. */
function forbidWhole(view: CommandView, root: ShellWord): void {
  const { places } = view.judge;
  const isWhole = pathsOf(root, view.folders)?.some((path) => places.isVital(places.locate(path).real));
  if (isWhole !== false) view.never("changes every file of the workspace");
}

/** Puts what is found in place of `{}`: what it is searched in, or something in it. A name that is run as code may be anything. */
function found(command: readonly ShellWord[], root: ShellWord, isNarrow: boolean): ShellWord[] {
  const mayRun = command.some(({ value }) => /^(\w*sh|node|perl|ruby|php|python[\d.]*)$/.test(basename(value ?? "")));
  return command.map((word, index) => {
    if (word.value?.includes("{}") !== true) return word;
    const isCode = mayRun && /^-\w*[ce]$/.test(command[index - 1]?.value ?? "");
    if (isCode || word.value !== "{}" || root.value === undefined) return unknownWord(word.source);
    return { ...root, value: isNarrow ? `${root.value}/found` : root.value, source: word.source };
  });
}
