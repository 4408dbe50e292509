import { looksSecret } from "../../../util/secret-files.ts";
import { WARNINGS } from "../warnings.ts";
import type { CommandView } from "./command-view.ts";
import { enter, pathsOf } from "./folders.ts";
import { repositoryOf } from "./git-repository.ts";
import { type OptionSpec, readOptions } from "./options.ts";
import { judgePaths } from "./programs.ts";
import { findSecret } from "./secret-search.ts";
import type { ShellWord } from "./words.ts";

/** Options that only choose what is shown, and how. */
const SHOWS =
  "all oneline graph stat stat= shortstat numstat summary name-only name-status cached staged format= pretty pretty= date= author= committer= since= until= after= before= grep= max-count= skip= decorate decorate= no-decorate abbrev abbrev= abbrev-commit short short= porcelain porcelain= branch show-stash untracked-files untracked-files= ignored ignored= ahead-behind long verbose merged no-merged contains no-contains points-at sort= list reverse follow first-parent merges no-merges word-diff word-diff= color color= no-color color-words patch no-patch unified= ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol diff-filter= find-renames find-copies no-renames raw full-index binary check minimal patience histogram diff-algorithm= function-context relative tags heads always dirty match= others exclude-standard modified deleted stage unmerged full-name error-unmatch show-toplevel show-prefix show-cdup show-current abbrev-ref verify quiet is-inside-work-tree git-dir symbolic remotes branches left-right cherry-pick cherry-mark ancestry-path topo-order date-order author-date-order boundary count objects left-only right-only simplify-merges full-history pickaxe-regex pickaxe-all line-number ignore-case files-with-matches word-regexp extended-regexp fixed-strings perl-regexp heading break show-function untracked root no-commit-id cc merge-base line-porcelain incremental show-name show-number show-email numbered email group= ref-format= local global system show-origin show-scope name-only independent is-ancestor exit-code dirstat compact-summary source null no-ext-diff no-textconv src-prefix= dst-prefix= no-prefix inter-hunk-context= points-at= merged= no-merged= contains= no-index";

/** Subcommands that only read, with the letters of options that each may have. */
const READING: Record<string, OptionSpec> = {
  status: { letters: "sbuvz", long: SHOWS },
  log: { letters: "bcCgimMprtuwzEFP", valued: "nLSGU", long: SHOWS },
  diff: { letters: "abCMpRrtuwWz", valued: "USG", long: SHOWS },
  show: { letters: "bCMpstuwz", valued: "UL", long: SHOWS },
  blame: { letters: "bcCefklMnpstw", valued: "L", long: SHOWS },
  grep: { letters: "acEFGhHiIlLnPpqvwWz", numbered: "ABCm", valued: "e", long: SHOWS },
  "ls-files": { letters: "cdkmostuvz", long: SHOWS },
  "ls-tree": { letters: "dlrtz", long: SHOWS },
  "rev-parse": { letters: "q", long: SHOWS },
  "rev-list": { letters: "z", valued: "n", long: SHOWS },
  describe: { letters: "", long: SHOWS },
  shortlog: { letters: "cens", long: SHOWS },
  "cat-file": { letters: "epst", long: "" },
  "name-rev": { letters: "", long: SHOWS },
  "merge-base": { letters: "a", long: SHOWS },
  "for-each-ref": { letters: "", long: SHOWS },
  "show-ref": { letters: "qs", long: SHOWS },
  "diff-tree": { letters: "cmprstz", long: SHOWS },
  reflog: { letters: "", valued: "n", long: SHOWS },
  version: {},
  "check-ignore": { letters: "nqvz", long: SHOWS },
  "count-objects": { letters: "vH", long: SHOWS },
};
/** Options with which `branch` and `tag` list, also when names follow. */
const LISTS = /^(l|list|contains|no-contains|merged|no-merged|points-at)$/;
const LISTING: Record<string, OptionSpec> = {
  branch: { letters: "arv", long: SHOWS },
  tag: { letters: "ln", long: SHOWS },
};
/** Settings that a call may have and that run nothing. */
const PLAIN_SETTING =
  /^(core\.pager=(cat)?|color\.\w+=\w+|core\.quotepath=\w+|user\.(name|email)=.*|commit\.gpgsign=false|log\.showsignature=false)$/i;
const GLOBAL_FLAG = /^(-P|--no-pager|--no-optional-locks|--literal-pathspecs)$/;
/** Settings of a repository whose values run nothing. */
const PLAIN_NAME =
  /^(user\.(name|email)|color\.\w+|core\.(quotepath|autocrlf|abbrev)|commit\.gpgsign|tag\.gpgsign|advice\.\w+|pull\.rebase|diff\.renames|log\.\w+)$/i;
/** Subcommands that change the history or files of the repository and nothing else. */
const CHANGING = new Set(
  "add commit checkout switch restore merge cherry-pick revert reset tag branch stash fetch pull push rebase rm mv clone init clean worktree config apply am remote".split(
    " ",
  ),
);
/** Subcommands that run nothing and write nowhere else, whatever their words are. */
const ROBUST = new Set("add commit checkout switch restore reset tag branch".split(" "));
/** Long options that name programs, strategies or places, also shortened as git takes them. */
const RISKY = /^--(e|upl|rece|tem|sep|conf|str|int|op|ou|textc|dir|pre|uns|gpg|repo)/;
const RISKY_FOR_ALL = /^--(e[xd]|textc|ou|op|te)/;
/** Letters that do the same, by subcommand. */
const RISKY_LETTERS: Record<string, RegExp> = {
  rebase: /^-[a-zA-Z]*[xis]/,
  clone: /^-[a-zA-Z]*[cu]/,
  merge: /^-[a-zA-Z]*[se]/,
  pull: /^-[a-zA-Z]*[se]/,
  revert: /^-[a-zA-Z]*[se]/,
  "cherry-pick": /^-[a-zA-Z]*[se]/,
};

/** Judges `git` by its subcommand, in the workspace's own repository. */
export function judgeGit(view: CommandView): void {
  const [subcommand, ...args] = readGlobals(view);
  if (subcommand?.value === "--version" && args.length === 0) return;
  const name = subcommand?.value;
  if (subcommand === undefined || name === undefined || subcommand.isGlob) {
    view.cannot("which subcommand of git runs is not clear");
    return;
  }
  judgeRepository(view, name);
  if (Object.hasOwn(READING, name)) judgeReading(view, name, args);
  else if (!isListing(name, args)) judgeChange(view, name, args);
}

/** Reads options before the subcommand. @returns what is left. */
function readGlobals(view: CommandView): readonly ShellWord[] {
  for (let index = 0; index < view.args.length; index++) {
    const option = view.args[index]?.value;
    if (option === undefined || !option.startsWith("-") || option === "--version") return view.args.slice(index);
    if (GLOBAL_FLAG.test(option)) continue;
    const value = view.args[++index]?.value;
    if (option === "-C") view.moveTo(value === undefined ? "unknown" : enter(view.folders, value));
    else if (option !== "-c" || value === undefined || !PLAIN_SETTING.test(value))
      view.cannot(`${option} decides what git works on or runs`);
  }
  return [];
}

/** Git follows the settings of whatever it takes for a repository. */
function judgeRepository(view: CommandView, name: string): void {
  if (name === "clone" || name === "init" || name === "version") return;
  const { places } = view.judge;
  if (view.folders === "unknown") return; // nothing may run there
  for (const folder of view.folders) {
    const { kind } = repositoryOf(folder, places);
    // In a folder of the workspace without any repository, git only says so.
    if (kind === "other" || (kind === "none" && places.locate(folder).kind !== "inside"))
      view.cannot(
        `${places.show(places.locate(folder))} isn't in the workspace's repository, and another repository's settings may run programs`,
      );
  }
}

function judgeReading(view: CommandView, name: string, args: readonly ShellWord[]): void {
  const { operands, options } = readOptions(view, READING[name] ?? {}, args);
  if (name === "reflog" && !/^(show)?$/.test(operands[0]?.value ?? "")) view.cannot("git reflog may drop entries");
  const reads = options.includes("no-index") || name === "blame" || name === "grep" || name === "diff";
  for (const word of operands) {
    if (word.value === undefined) {
      if (name === "diff") view.cannot(`${word.source} may be a file that is not in the repository`);
      continue; // else a name of a commit or a file in the repository
    }
    if (/^:(\/|\([^)]*top)/.test(word.value))
      view.raise("reads-elsewhere", `may read outside the workspace: ${word.value}`);
    if (looksSecret(word.value.replace(/^[^:]*:/, ""))) view.never(`${WARNINGS.secretFile}: ${word.value}`);
    // Git shows files outside only where it compares two that it is told of.
    if (/^([/~]|\.\.(\/|$))|\/\.\.(\/|$)/.test(word.value) || (reads && word.value.includes("/"))) view.read(word);
  }
  if (options.includes("no-index")) {
    for (const word of operands) view.read(word);
    const folders = operands.flatMap((word) => pathsOf(word, view.folders) ?? []);
    view.show(findSecret(folders, { places: view.judge.places, followsLinks: true }));
  }
  if (name === "grep" && options.some((option) => /^(untracked|no-index)$/.test(option)))
    view.show(findSecret(view.judge.places.roots, { places: view.judge.places, followsLinks: false }));
}

/** True when a command of a subcommand that also changes things only lists. */
function isListing(name: string, args: readonly ShellWord[]): boolean {
  const values = args.map(({ value, isGlob }) => (isGlob ? undefined : value));
  const [first, ...others] = values;
  const spec = Object.hasOwn(LISTING, name) ? LISTING[name] : undefined;
  if (spec !== undefined) {
    if (!values.every((value) => value !== undefined)) return false;
    const isOption = (value: string) => value.startsWith("-");
    const options = args.filter(({ value }) => isOption(value ?? ""));
    const known = options.every(({ value = "" }) => isKnownOption(value, spec));
    const lists = options.some(({ value = "" }) => LISTS.test(value.replace(/^--?/, "").replace(/=.*/s, "")));
    return known && (lists || options.length === values.length);
  }
  if (values.some((value) => value === undefined)) return false;
  switch (name) {
    case "remote":
      return (
        first === undefined ||
        (/^(-v|--verbose)$/.test(first) && others.length === 0) ||
        (first === "get-url" && others.length === 1)
      );
    case "stash":
      return first === "list" && others.every((value) => isKnownOption(value ?? "", READING.log ?? {}));
    case "worktree":
      return first === "list" && others.every((value) => /^(--porcelain|-v)$/.test(value ?? ""));
    case "config":
      return (first === "--get" || first === "get") && others.length === 1 && PLAIN_NAME.test(others[0] ?? "");
    default:
      return false;
  }
}

function isKnownOption(value: string, { letters = "", long = "" }: OptionSpec): boolean {
  if (!value.startsWith("--"))
    return [...value.slice(1)].every((letter) => letters.includes(letter) || /\d/.test(letter));
  const name = value.slice(2).split("=", 1)[0] ?? "";
  return long.split(" ").some((one) => one === name || one === `${name}=`);
}

function judgeChange(view: CommandView, name: string, args: readonly ShellWord[]): void {
  view.raise("changes");
  if (!CHANGING.has(name)) view.cannot(`git ${name} may run programs, or change more than the repository`);
  const values = args.map(({ value, isGlob }) => (isGlob ? undefined : value));
  const letters = Object.hasOwn(RISKY_LETTERS, name) ? RISKY_LETTERS[name] : undefined;
  for (const [index, value] of values.entries()) {
    const isRisky = (ROBUST.has(name) ? RISKY_FOR_ALL : RISKY).test(value ?? "") || letters?.test(value ?? "") === true;
    if (value === undefined) view.cannot(`${args[index]?.source} is known only when it runs`);
    else if (isRisky || /(^|=)[a-z][a-z\d+.-]*::/.test(value))
      view.cannot(`${value} of git ${name} may run a program, or write elsewhere`);
  }
  const isText = (index: number) =>
    /^(-[a-zA-Z]*m|--message)$/.test(values[index - 1] ?? "") || /^--message=/.test(values[index] ?? "");
  if (name !== "add")
    judgePaths(
      view,
      args.filter((_, index) => !isText(index)),
    );
  if (name === "push") judgePush(view, values);
  if (name === "config") judgeConfig(view, values);
}

function judgePush(view: CommandView, values: readonly (string | undefined)[]): void {
  const isForced = (value = "") => /^(-[a-zA-Z]*f|--(f|mi|pru)|\+)/.test(value);
  const isDeleting = (value = "") => /^(-[a-zA-Z]*d|--de|:.)/.test(value);
  if (values.some(isForced)) view.never(WARNINGS.forcesPush);
  if (values.some(isDeleting)) view.never(WARNINGS.deletesRemoteBranch);
}

/** Settings of a repository decide what git runs. */
function judgeConfig(view: CommandView, values: readonly (string | undefined)[]): void {
  const words = values.filter((value) => value !== "--local" && value !== "set");
  if (words.length !== 2 || !PLAIN_NAME.test(words[0] ?? "")) view.never(`${WARNINGS.protectedFile}: .git/config`);
}
