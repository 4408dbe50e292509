import { WARNINGS } from "../warnings.ts";
import type { CommandView } from "./command-view.ts";
import { judgeFind } from "./find-command.ts";
import { pathsOf } from "./folders.ts";
import { type OptionSpec, readOptions, requireOneWord } from "./options.ts";
import { judgeProgram } from "./programs.ts";
import { findSecret } from "./secret-search.ts";
import {
  exportNames,
  readLine,
  readNames,
  readPrintf,
  readSet,
  readTest,
  showNames,
  unsetNames,
} from "./shell-builtins.ts";
import { readAwk, readSed } from "./text-programs.ts";
import { plainWord, type ShellWord } from "./words.ts";

/** The judgment rules of one command. */
export type Rule = (view: CommandView) => void;

interface ReaderSpec extends OptionSpec {
  /** The kind of its operands: files whose content it reads (the default), names of files, or text. */
  operands?: "files" | "names" | "text";
  /** The maximum number of operands; the command would write to a further one. */
  most?: number;
}

const GREP: OptionSpec = {
  letters: "abcEFGHhiIlLnoPqrRsTUvVwxzZy",
  numbered: "ABCm",
  long: "recursive include= exclude= exclude-dir= line-number ignore-case files-with-matches files-without-match count only-matching context= after-context= before-context= max-count= word-regexp line-regexp extended-regexp basic-regexp fixed-strings perl-regexp color color= colour colour= no-messages with-filename no-filename invert-match quiet text null line-buffered binary-files= version help",
};
const RIPGREP: OptionSpec = {
  letters: "abcFHhiIlnNopPqsSvVwxuU.",
  numbered: "ABCm",
  valued: "gtTM",
  long: "files type-list glob= iglob= type= type-not= line-number no-line-number ignore-case smart-case case-sensitive files-with-matches files-without-match count count-matches only-matching context= after-context= before-context= max-count= max-depth= word-regexp line-regexp fixed-strings multiline pcre2 color= no-heading heading hidden no-ignore no-ignore-vcs no-messages with-filename no-filename invert-match quiet stats json sort= sortr= replace= trim vimgrep max-columns= version help",
};

const FILES: Record<string, ReaderSpec> = {
  cat: { letters: "AbeEnstTuv", long: "number number-nonblank show-all squeeze-blank show-ends show-tabs" },
  tac: { letters: "b" },
  rev: {},
  head: { letters: "ncqvz", long: "lines= bytes= quiet verbose" },
  tail: { letters: "ncqvzrfF", long: "lines= bytes= quiet verbose follow" },
  wc: { letters: "clmwL", long: "lines words chars bytes max-line-length" },
  nl: { letters: "bnwvs" },
  od: { letters: "AjNtvwabcdfhilosx" },
  hexdump: { letters: "Cbcdnosvx" },
  cksum: {},
  md5sum: { letters: "btz" },
  sha1sum: { letters: "btz" },
  sha256sum: { letters: "btz" },
  sha512sum: { letters: "btz" },
  shasum: { letters: "btpU", valued: "a" },
  md5: { letters: "qr" },
  cmp: { letters: "bilnsv", most: 2 },
  diff: {
    letters: "abBcdeEiNnpqrsTtuUwWyZ",
    long: "brief unified unified= recursive color color= ignore-all-space ignore-space-change ignore-blank-lines side-by-side suppress-common-lines new-file text minimal strip-trailing-cr exclude= width= stat",
  },
  comm: { letters: "i" },
  paste: { letters: "s", valued: "d" },
  cut: {
    letters: "ns",
    valued: "bcdf",
    long: "complement only-delimited delimiter= fields= characters= bytes= output-delimiter=",
  },
  fold: { letters: "bsw" },
  fmt: { letters: "wsu" },
  expand: { letters: "t" },
  unexpand: { letters: "at" },
  column: { letters: "tx", valued: "sco" },
  sort: {
    letters: "bcdfghiMmnRrsuVz",
    valued: "tk",
    long: "numeric-sort reverse unique key= field-separator= human-numeric-sort version-sort stable ignore-case general-numeric-sort zero-terminated check",
  },
  uniq: { letters: "cdDfisuwz", long: "count repeated unique ignore-case", most: 1 },
  xxd: { letters: "abeipu", numbered: "clsg", most: 1 },
  base64: { letters: "dDi", numbered: "w", long: "decode wrap=", most: 1 },
};

const NAMES: Record<string, ReaderSpec> = {
  ls: {
    letters: "aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1",
    long: "all almost-all color color= group-directories-first human-readable recursive sort= time= time-style= full-time size reverse si classify directory inode ignore= hide= format= no-group numeric-uid-gid file-type",
  },
  stat: { letters: "fFLlnqrstx", valued: "c", long: "format= printf= dereference terse" },
  du: {
    letters: "abcdhHklLmsSx0",
    long: "max-depth= summarize human-readable all bytes total apparent-size exclude= one-file-system si time",
  },
  df: { letters: "ahHiklmPT", long: "human-readable total output output=" },
  readlink: { letters: "efmnqsvz", long: "canonicalize" },
  realpath: { letters: "eLmPqsz", long: "relative-to= relative-base=" },
  file: { letters: "bhikLnNprs", long: "brief mime mime-type mime-encoding" },
  tree: {
    letters: "adfigpshuDFvtrxLCAnSNJXQ",
    valued: "PI",
    long: "noreport dirsfirst gitignore prune charset= filelimit= du si",
  },
};

/** Commands that read no files, with any arguments. */
const READ_NOTHING =
  "echo true false : pwd whoami id groups uname nproc uptime free tty locale getconf basename dirname which whereis type tr seq expr factor numfmt clear sleep cal exit return break continue shift";

/** Commands that only read, each with the options that don't change that. */
export const READERS: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ...Object.entries(FILES).map(([name, spec]): [string, Rule] => [name, (view) => readWith(view, spec)]),
  ...Object.entries(NAMES).map(([name, spec]): [string, Rule] => [
    name,
    (view) => readWith(view, { ...spec, operands: "names" }),
  ]),
  ...READ_NOTHING.split(" ").map((name): [string, Rule] => [name, showNames]),
  ["grep", (view) => readSearch(view, GREP)],
  ["egrep", (view) => readSearch(view, GREP)],
  ["fgrep", (view) => readSearch(view, GREP)],
  ["rg", (view) => readSearch(view, RIPGREP)],
  ["find", judgeFind],
  ["sed", readSed],
  ["awk", readAwk],
  ["gawk", readAwk],
  ["mawk", readAwk],
  ["jq", readJson],
  ["printf", readPrintf],
  ["test", readTest],
  ["[", readTest],
  ["read", readLine],
  ["set", readSet],
  ["date", readDate],
  ["ps", readProcesses],
  ["unset", unsetNames],
  ["export", exportNames],
  ["tar", listArchive],
  ["wait", (view) => readNames(view, /^$/)],
  ["jobs", (view) => readNames(view, /^$/)],
  ["hash", (view) => readNames(view, /^-r$/)],
]);

function readWith(view: CommandView, spec: ReaderSpec): void {
  if (
    view.name === "xxd" &&
    !view.values.every((value) => !value?.startsWith("-") || /^-([abeipu]|[clsg]\d*)$/.test(value))
  )
    view.cannot("xxd takes one option a word");
  const { operands } = readOptions(view, spec);
  if (operands.length > (spec.most ?? operands.length)) view.cannot(`${view.name} may write its last operand`);
  if (spec.most !== undefined && operands.some(({ isGlob, listed }) => isGlob || listed !== undefined))
    view.cannot(`${view.name} may write its last operand`);
  for (const word of operands) {
    if (word.value === "-") continue;
    if (spec.operands === "names") view.list(word);
    else view.read(word);
  }
  if (view.name === "diff") searchFolders(view, operands, true);
}

/** Judges a command whose first operand is a pattern, unless an option supplies the pattern or makes it unnecessary. */
function readSearch(view: CommandView, spec: OptionSpec): void {
  const valued = `${spec.valued ?? ""}e`;
  const { operands, options } = readOptions(view, { ...spec, valued, long: `${spec.long} regexp=` });
  const isGiven = options.some((name) => /^(e|regexp|files|type-list)$/.test(name));
  const [first] = operands;
  // Of several words, only the first is the pattern.
  const isOne = !isGiven && first?.isGlob !== true && first?.listed === undefined;
  const files = (isOne ? operands.slice(1) : operands).filter(({ value }) => value !== "-");
  for (const word of files) view.read(word);
  const inFolders = view.name === "rg" ? /^(u|\.|hidden|no-ignore.*)$/ : /^(r|R|recursive)$/;
  if (!options.some((name) => inFolders.test(name))) return;
  searchFolders(view, files.length === 0 ? [plainWord(".")] : files, view.name !== "rg" && options.includes("R"));
}

/** Asks if a search through folders would show files that need a question. */
function searchFolders(view: CommandView, words: readonly ShellWord[], followsLinks: boolean): void {
  const folders = words.flatMap((word) => pathsOf(word, view.folders) ?? []);
  view.show(findSecret(folders, { places: view.judge.places, followsLinks }));
}

/** Programs of `jq` that read other files or show the environment. */
const MORE_THAN_JQ =
  /\b(import|include|env|ENV|input_filename|modulemeta|get_search_list|halt_error|debug|stderr|\$__loc__)\b/;

function readJson(view: CommandView): void {
  const rest: ShellWord[] = [];
  for (let index = 0; index < view.args.length; index++) {
    const word = view.args[index];
    const isArgument = /^--arg(json)?$/.test(word?.value ?? "");
    if (isArgument) {
      requireOneWord(view, view.args[index + 1]);
      requireOneWord(view, view.args[index + 2]);
      index += 2;
    }
    if (!isArgument && word !== undefined) rest.push(word);
  }
  const { operands } = readOptions(
    view,
    {
      letters: "rcSsneaCMjR",
      long: "raw-output compact-output sort-keys slurp null-input exit-status tab raw-input join-output ascii-output color-output monochrome-output indent= seq",
    },
    rest,
  );
  const [program, ...files] = operands;
  if (program !== undefined && (program.value === undefined || program.isGlob || MORE_THAN_JQ.test(program.value)))
    view.cannot("the program of jq may read other files");
  for (const word of files) view.read(word);
}

/** `date` would set a date without a plus sign before it. */
function readDate(view: CommandView): void {
  const { operands } = readOptions(view, {
    letters: "uRI",
    valued: "d",
    long: "utc date= iso-8601 iso-8601= rfc-3339= rfc-email",
  });
  if (operands.some(({ value }) => value?.startsWith("+") !== true)) view.never(WARNINGS.changesSystem);
}

/** Some options show the environment of processes, where keys may be. */
function readProcesses(view: CommandView): void {
  const isPlain = ([first, ...others]: readonly (string | undefined)[]) =>
    (first === undefined || /^(aux|aux?f|-[aAefFlp]+)$/.test(first)) &&
    others.every((value) => /^(\d+|\d+(,\d+)*|-[fFlp]+)$/.test(value ?? ""));
  if (!isPlain(view.values)) view.cannot("ps may show the environment of processes");
}

/** Only listing an archive is free: extracted files may be written anywhere. */
function listArchive(view: CommandView): void {
  const [letters, archive] = view.args;
  const isPlain =
    /^-?[tvzjJ]*t[tvzjJ]*f$/.test(letters?.value ?? "") &&
    archive?.value?.includes(":") === false &&
    !archive.isGlob &&
    !view.mayBeOption(archive);
  if (!isPlain || archive === undefined || view.args.some((word, index) => index > 1 && view.mayBeOption(word)))
    judgeProgram(view);
  else view.read(archive);
}
