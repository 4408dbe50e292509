import type { Places } from "../places.ts";
import { type Folders, pathsOf } from "./folders.ts";
import { type Listing, plainWord, type ShellWord } from "./words.ts";

const PLAIN_SEARCH = /^-[rnicwEFilLsHhv]+$/;
const GIT_LISTINGS: Record<string, RegExp> = {
  "ls-files": /^(-[zmocd]|--(others|exclude-standard|modified|cached|deleted|full-name)?)$/,
  diff: /^(-z|--(name-only|cached|staged|diff-filter=\w+|relative)?)$/,
  grep: /^-[nicwEFlLIv]+$/,
};

/**
 * Returns the source of the file names that a command prints, if it prints only file names, a line each.
 * @param words after the judge has found that the command reads the workspace and nothing else.
 */
export function listingOf(words: readonly ShellWord[], folders: Folders, places: Places): Listing | undefined {
  const [name = "", ...args] = words.map(({ value }) => value ?? "\0");
  if (words.some(({ value }) => value === undefined)) return undefined;
  if (name === "git") return tracked(args, places);
  const sources = sourcesOf(name, args);
  if (sources === undefined) return undefined;
  const paths = (sources.length === 0 ? ["."] : sources).map((value) => {
    const word = words.find((one) => one.value === value) ?? plainWord(value);
    return pathsOf(word, folders);
  });
  return paths.every((path) => path !== undefined) ? { folders: paths.flat(), isTracked: false } : undefined;
}

/** Returns the folders and files that a command lists; empty for its working directory. */
function sourcesOf(name: string, args: readonly string[]): readonly string[] | undefined {
  const options = args.filter((arg) => arg.startsWith("-"));
  const operands = args.filter((arg) => !arg.startsWith("-"));
  switch (name) {
    case "find": {
      const start = args.findIndex((arg) => /^[-(!]/.test(arg));
      if (options.some((option) => /^-(exec|ok|printf|ls)/.test(option))) return undefined;
      return start === -1 ? args : args.slice(0, start);
    }
    case "ls":
      return options.every((option) => /^-[A1dtrRSX]+$/.test(option)) ? operands : undefined;
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg":
      if (name === "rg" && args[0] === "--files") return options.length === 1 ? operands : undefined;
      if (!options.every((option) => PLAIN_SEARCH.test(option))) return undefined;
      return options.some((option) => /[lL]/.test(option)) ? operands.slice(1) : undefined;
    default:
      return undefined;
  }
}

function tracked([subcommand = "", ...args]: readonly string[], places: Places): Listing | undefined {
  const allowed = Object.hasOwn(GIT_LISTINGS, subcommand) ? GIT_LISTINGS[subcommand] : undefined;
  const options = args.filter((arg) => arg.startsWith("-"));
  if (allowed === undefined || !options.every((option) => allowed.test(option))) return undefined;
  // A colon may lead to the top of the repository, above the workspace.
  if (args.some((arg) => arg.startsWith(":"))) return undefined;
  if (subcommand === "grep" && !options.some((option) => /[lL]/.test(option))) return undefined;
  if (subcommand === "diff" && !options.includes("--name-only")) return undefined;
  const isOther = options.some((option) => /^(-\w*o|--others)/.test(option)) && !options.includes("--exclude-standard");
  return { folders: places.roots, isTracked: !isOther };
}

/** True when a command only filters or sorts the lines that it reads from a pipe. */
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
