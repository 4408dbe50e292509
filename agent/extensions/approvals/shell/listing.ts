import type { ShellWord } from "./words.ts";

const PLAIN_SEARCH = /^-[rnicwEFilLsHhv]+$/;
const GIT_LISTINGS: Record<string, RegExp> = {
  "ls-files": /^(-[zmocd]|--(others|exclude-standard|modified|cached|deleted|full-name)?)$/,
  diff: /^(-z|--(name-only|cached|staged|diff-filter=\w+|relative)?)$/,
  grep: /^-[nicwEFlLIv]+$/,
};

/**
 * True when a command prints names of files and nothing else, a line each.
 * @param words after the judge has found that the command reads the workspace and nothing else.
 */
export function listsNames(words: readonly ShellWord[]): boolean {
  const [name = "", ...args] = words.map(({ value }) => value ?? "\0");
  const options = args.filter((arg) => arg.startsWith("-"));
  if (words.some(({ value }) => value === undefined)) return false;
  switch (name) {
    case "find":
      return !options.some((option) => /^-(exec|ok|printf|ls)/.test(option));
    case "ls":
      return options.every((option) => /^-[aA1dtrRSX]+$/.test(option));
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg":
      if (name === "rg" && args[0] === "--files") return options.length === 1;
      return options.every((option) => PLAIN_SEARCH.test(option)) && options.some((option) => /[lL]/.test(option));
    case "git": {
      const [subcommand = "", ...rest] = args;
      const allowed = Object.hasOwn(GIT_LISTINGS, subcommand) ? GIT_LISTINGS[subcommand] : undefined;
      const given = rest.filter((arg) => arg.startsWith("-"));
      if (allowed === undefined || !given.every((option) => allowed.test(option))) return false;
      if (subcommand === "grep") return given.some((option) => /[lL]/.test(option));
      return subcommand === "ls-files" || given.includes("--name-only");
    }
    default:
      return false;
  }
}

/** True when a command only chooses among the lines that it reads from a pipe. */
export function passesNames(words: readonly ShellWord[]): boolean {
  const [name = "", ...args] = words.map(({ value }) => value ?? "\0");
  const operands = args.filter((arg) => !arg.startsWith("-"));
  const options = args.filter((arg) => arg.startsWith("-"));
  switch (name) {
    case "grep":
    case "egrep":
    case "fgrep":
      return operands.length === 1 && options.every((option) => /^-[vEiFwx]+$/.test(option));
    case "sort":
    case "uniq":
      return operands.length === 0 && options.every((option) => /^-[urn]+$/.test(option));
    case "head":
    case "tail":
      return /^(-n?\d+|-n \d+)?$/.test(args.join(" "));
    default:
      return false;
  }
}
