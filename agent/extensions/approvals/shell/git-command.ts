import { type CommandView, hasLong } from "./command-view.ts";
import { enter } from "./folders.ts";
import { judgeRepository } from "./git-repository.ts";
import { judgeNamedPaths } from "./known-tools.ts";
import { isSingle, type ShellWord } from "./words.ts";

const READING = new Set(
  "status log diff show blame annotate grep ls-files ls-tree rev-parse rev-list describe shortlog cat-file name-rev merge-base for-each-ref show-ref var version help count-objects check-ignore check-attr check-mailmap check-ref-format diff-tree diff-index diff-files whatchanged cherry range-diff verify-commit verify-tag verify-pack fsck show-branch get-tar-commit-id patch-id stripspace column interpret-trailers --version --help".split(
    " ",
  ),
);
/** What these take that makes them change something or run something. */
const RISKY_READ_OPTION = /^--(ou|op|ext|textc|filt|in-p)/;
const LIST_OPTIONS: Record<string, RegExp> = {
  branch:
    /^(-a|-r|-v|-vv|-l|--list|--all|--remotes|--verbose|--show-current|--merged|--no-merged|--contains|--no-contains|--points-at|--sort.*|--format.*|--color.*|--column.*|--no-color)$/,
  tag: /^(-l|--list|-n\d*|--sort.*|--contains|--no-contains|--merged|--no-merged|--points-at|--format.*|--column.*)$/,
  remote: /^(-v|--verbose)$/,
};
/** Options of `git config` that do not change anything. */
const READS_CONFIG =
  /^(-l|-z|--(get|get-all|get-regexp|get-urlmatch|list|null|local|global|system|worktree|show-origin|show-scope|name-only|includes|type=\w+|bool|int|path|all))$/;
const READS_NAMED = /^(--get|--get-all|--get-regexp|--get-urlmatch|--list|-l|get|list)$/;
/** Those that change settings of the repository, and no others. */
const CHANGES_CONFIG = /^--(local|add|replace-all|unset|unset-all|bool|int|type=\w+|all|append)$/;
/** Settings whose values run nothing. */
const PLAIN_SETTING =
  /^(user\.(name|email)|color\.\w+|core\.(quotepath|autocrlf|abbrev)|commit\.gpgsign|tag\.gpgsign|advice\.\w+|init\.defaultbranch|pull\.rebase|diff\.(renames|algorithm)|log\.\w+|core\.pager=cat)$/i;
const GLOBAL_FLAGS =
  /^(-p|-P|--(paginate|no-pager|no-replace-objects|(literal|glob|noglob|icase)-pathspecs|no-optional-locks|no-lazy-fetch|html-path|man-path|info-path))$/;
/** Subcommands that are told nothing that runs, or writes elsewhere: words that are not known do no harm. */
const ROBUST = new Set("add commit checkout switch restore merge cherry-pick revert reset tag branch".split(" "));
/** Subcommands that put files nowhere but into the repository and its folder, whatever paths they are given. */
const KEEPS_INSIDE = new Set(
  "fetch pull push stash rebase rm mv remote clone init config blame clean submodule bisect".split(" "),
);

/** Judges `git` by its subcommand: most change the workspace's own history, which is what they are for. */
export function judgeGit(view: CommandView): void {
  const rest = readGlobals(view);
  judgeRepository(view);
  const [subcommand, ...args] = rest;
  if (subcommand === undefined) return;
  const name = subcommand.value;
  if (name === undefined) {
    view.cannot(`${subcommand.source} is known only when it runs`);
    return;
  }
  judgeTransport(view, args);
  if (!ROBUST.has(name)) judgeUnknown(view, rest);
  if (READING.has(name) || isListing(name, args)) {
    judgeReading(view, name, args);
    return;
  }
  view.raise("changes");
  if (name === "push") judgePush(view, args);
  else if (name === "config") judgeConfig(view, args);
  else judgeOthers(view, name, args);
}

/** Options before the subcommand. @returns what is left. */
function readGlobals(view: CommandView): readonly ShellWord[] {
  let index = 0;
  for (; index < view.args.length; index++) {
    const word = view.args[index];
    if (word?.value === undefined || !word.value.startsWith("-")) break;
    const option = word.value;
    if (option === "--version" || option === "--help") break;
    if (GLOBAL_FLAGS.test(option)) continue;
    if (option !== "-C" && option !== "-c") {
      view.cannot(`${option.split("=", 1)[0]} decides what git works on`);
      continue;
    }
    const value = view.args[++index];
    if (value !== undefined && !isSingle(value)) view.cannot(`${value.source} may be several words`);
    if (option === "-C") view.moveTo(enter(view.folders, value?.value));
    else judgeSetting(view, value?.value);
  }
  return view.args.slice(index);
}

function judgeSetting(view: CommandView, setting: string | undefined): void {
  const name = setting?.split("=", 1)[0] ?? "";
  if (!PLAIN_SETTING.test(name) && !PLAIN_SETTING.test(setting ?? "")) view.cannot(`git -c ${name} may run a program`);
}

/** Programs and protocols that fetch and push are told to use. */
function judgeTransport(view: CommandView, args: readonly ShellWord[]): void {
  for (const { value } of args) {
    if (value === undefined) continue;
    const [, option] = /^--([a-z-]+)/.exec(value) ?? [];
    const isProgram = ["upload-pack", "receive-pack", "exec"].some(
      (name) => option !== undefined && name.startsWith(option),
    );
    if (isProgram || /(^|=)[a-z][a-z\d+.-]*::/.test(value)) view.cannot(`${value} runs a program`);
  }
}

/** A word that is not known may be an option, also one that runs or writes something. */
function judgeUnknown(view: CommandView, args: readonly ShellWord[]): void {
  const isValue = (index: number) => args[0]?.value === "grep" && /^-/.test(args[index - 1]?.value ?? "");
  const end = args.findIndex(({ value }, index) => value === "--" && !isValue(index));
  const word = args.slice(0, end === -1 ? undefined : end).find((one) => view.mayBeOption(one));
  if (word !== undefined) view.cannot(`${word.source} may be an option of git`);
}

function judgeReading(view: CommandView, name: string, args: readonly ShellWord[]): void {
  for (const [index, word] of args.entries()) {
    const { value } = word;
    if (value === undefined) continue;
    if (/^(\/|\.\.(\/|$))/.test(value) || value.includes("/../")) view.read(word);
    if (name === "grep" && /^-[a-zA-Z]*O/.test(value)) view.cannot(`${value} runs a program`);
    if (name === "help" && value.startsWith("-")) view.raise("changes");
    if (!RISKY_READ_OPTION.test(value)) continue;
    view.raise("changes");
    const [, inline] = /^--outp?u?t?(?:=([\s\S]*))?$/.exec(value) ?? [undefined, ""];
    const next = args[index + 1];
    if (inline === undefined && next !== undefined) view.write(next);
    else if (inline) view.write({ ...word, value: inline });
    else if (/^--(ext|textc|op|filt)/.test(value)) view.cannot(`${value} runs a program`);
  }
  if (name === "fsck" || name === "interpret-trailers") view.raise("changes");
}

function isListing(name: string, args: readonly ShellWord[]): boolean {
  const values = args.map(({ value }) => value);
  const [first] = values;
  const listing = LIST_OPTIONS[name];
  if (listing !== undefined) {
    if (name === "remote" && (first === "get-url" || first === "show"))
      return values.every((value) => value !== undefined);
    const isQuery = values.some((value) =>
      /^(-l|--list|--contains|--merged|--no-merged|--points-at)$/.test(value ?? ""),
    );
    return values.every((value) => value !== undefined && (listing.test(value) || (isQuery && !value.startsWith("-"))));
  }
  if (values.some((value) => value === undefined)) return false;
  switch (name) {
    case "stash":
    case "notes":
      return first === "list" || first === "show";
    case "worktree":
      return first === "list";
    case "submodule":
      return first === "status" || (first === undefined && name === "submodule");
    case "reflog":
      return first === undefined || first === "show" || (first?.startsWith("-") === true && first !== "--");
    case "bisect":
      return first === "log";
    case "config":
      return (
        values.every((value) => !value?.startsWith("-") || READS_CONFIG.test(value)) &&
        (values.some((value) => READS_NAMED.test(value ?? "")) || values.length === 1)
      );
    case "symbolic-ref":
      return values.filter((value) => value?.startsWith("-") === false).length === 1 && !values.includes("-d");
    case "ls-remote":
      return false;
    default:
      return false;
  }
}

function judgePush(view: CommandView, args: readonly ShellWord[]): void {
  const options = args.flatMap(({ value }) => (value?.startsWith("--") ? [value.slice(2).split("=", 1)[0] ?? ""] : []));
  const letters = args.flatMap(({ value }) => (value !== undefined && /^-[^-]/.test(value) ? [...value.slice(1)] : []));
  const isForced =
    letters.includes("f") ||
    options.some(
      (option) =>
        option.startsWith("force") ||
        ["force", "mirror", "prune"].some((name) => option.length > 1 && name.startsWith(option)),
    );
  if (isForced || args.some(({ value }) => value?.startsWith("+"))) view.never("forces a push");
  if (letters.includes("d") || hasLong(options, "delete", 2) || args.some(({ value }) => /^:./.test(value ?? ""))) {
    view.never("deletes a branch of another repository");
  }
  for (const word of args) if (word.value === undefined) view.cannot(`${word.source} is known only when it runs`);
}

/** Settings of a repository decide what git runs. */
function judgeConfig(view: CommandView, args: readonly ShellWord[]): void {
  const values = args.map(({ value }) => value ?? "");
  if (values.some((value) => /^--(glo|sys|f)/.test(value) || value === "-f")) {
    view.never("writes outside the workspace: git settings");
    return;
  }
  const name = values.find((value) => !value.startsWith("-") && value !== "set" && value !== "unset");
  const isKnown = values.every((value) => !value.startsWith("-") || CHANGES_CONFIG.test(value));
  if (!isKnown || name === undefined || !PLAIN_SETTING.test(name)) view.never("changes a protected file: .git/config");
}

function judgeOthers(view: CommandView, name: string, args: readonly ShellWord[]): void {
  const { operands, options, values } = view.parse(
    "b B m F C c o x exec output directory separate-git-dir template work-tree",
    args,
  );
  const code = values.get("x") ?? values.get("exec");
  if (name === "rebase" && code !== undefined) view.code(code.value, "the command of git rebase");
  if (name === "bisect" && operands[0]?.value === "run")
    view.run(args.slice(args.findIndex(({ value }) => value === "run") + 1));
  if (name === "submodule" && operands[0]?.value === "foreach") {
    const rest = operands.slice(1).map(({ value }) => value);
    view.code(rest.every((value) => value !== undefined) ? rest.join(" ") : undefined, "the command of git submodule");
  }
  if (
    [
      "filter-branch",
      "difftool",
      "mergetool",
      "daemon",
      "instaweb",
      "upload-pack",
      "receive-pack",
      "shell",
      "remote-ext",
    ].includes(name)
  ) {
    view.cannot(`git ${name} runs programs`);
  }
  if (name === "clone" && (options.includes("u") || options.includes("c") || hasLong(options, "config"))) {
    view.cannot("git clone is told what to run");
  }
  if (["credential", "send-email", "imap-send"].includes(name)) view.never("reaches another machine, or passwords");
  if (name === "maintenance" && operands[0]?.value !== "run") view.never("changes the system");
  if (!ROBUST.has(name) && !KEEPS_INSIDE.has(name)) judgeNamedPaths(view);
  if (hasLong(options, "template") || hasLong(options, "separate-git-dir"))
    view.cannot("git takes files from elsewhere");
  const target = gitTarget(name, operands);
  if (target !== undefined) view.write(target);
  for (const one of [values.get("o"), values.get("output"), values.get("directory")])
    if (one !== undefined && name !== "log") view.write(one);
  if (name === "rm" || name === "clean") for (const word of operands) view.write(word);
  if (name === "mv") for (const word of operands) view.write(word);
}

/** The folder that a subcommand makes. */
function gitTarget(name: string, operands: readonly ShellWord[]): ShellWord | undefined {
  if (name === "clone") return operands[1];
  if (name === "init") return operands[0];
  if (name === "worktree" && operands[0]?.value !== "list" && operands[0]?.value !== "prune") return operands[1];
  return undefined;
}
