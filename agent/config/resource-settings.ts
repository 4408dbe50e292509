import { basename, dirname, relative, resolve, sep } from "node:path";
import { pathGlob } from "../util/path-glob.ts";
import { expandPath } from "./paths.ts";

/** A file or folder that settings name. */
export interface NamedPath {
  /** Absolute. */
  path: string;
  /** Which files below it count; undefined means all. */
  only: ((file: string) => boolean) | undefined;
}

/** The settings of one owner about one kind of resource. */
export interface NamedResources {
  paths: readonly NamedPath[];
  /** True when a file counts, wherever it was found. */
  isWanted(file: string): boolean;
}

/** A list from a settings file; relative paths start from `folder`. */
export interface ResourceList {
  entries: readonly string[];
  folder: string;
}

/** No names are given, so everything applies. */
export const NO_RESOURCES: NamedResources = { paths: [], isWanted: () => true };

/** `!glob` leaves files out, `+path` takes one back in, `-path` leaves one out whatever else is said. */
type Sign = "!" | "+" | "-";

/** Reads the lists of one owner, the first list first. */
export function readResourceLists(lists: readonly ResourceList[]): NamedResources {
  const paths = lists.flatMap(({ entries, folder }) => entries.filter((entry) => !isSigned(entry)).map(named(folder)));
  const signed = lists.flatMap(({ entries, folder }) => entries.filter(isSigned).map(readSigned(folder)));
  if (signed.length === 0) return { paths, isWanted: () => true };
  const has = (sign: Sign, file: string) => signed.some((one) => one.sign === sign && one.matches(file));
  return {
    paths,
    isWanted: (file) => !has("-", file) && (has("+", file) || !has("!", file)),
  };
}

function isSigned(entry: string): boolean {
  return /^[!+-]/.test(entry);
}

function named(folder: string): (entry: string) => NamedPath {
  return (entry) => {
    if (!/[*?]/.test(entry)) return { path: expandPath(entry, folder), only: undefined };
    const fixed = entry.slice(0, entry.search(/[*?]/));
    const start = expandPath(fixed.includes("/") ? fixed.slice(0, fixed.lastIndexOf("/") + 1) : ".", folder);
    return { path: start, only: matcher(entry, folder) };
  };
}

function readSigned(folder: string) {
  return (entry: string): { sign: Sign; matches(file: string): boolean } => {
    const [sign, rest] = [entry.charAt(0), entry.slice(1)];
    if (sign === "!") return { sign, matches: matcher(rest, folder) };
    const exact = resolve(expandPath(rest, folder));
    return {
      sign: sign === "+" ? "+" : "-",
      matches: (file) => file === exact || (basename(file) === "SKILL.md" && dirname(file) === exact),
    };
  };
}

/** A glob fits a file by its path from the settings file's folder, by its absolute path or by its name; a skill also by its folder. */
function matcher(glob: string, folder: string): (file: string) => boolean {
  const test = pathGlob(glob.replace(/^\.\//, ""));
  const absolute = pathGlob(expandPath(glob, folder));
  const fits = (path: string) => {
    const plain = path.split(sep).join("/");
    return test(relative(folder, path).split(sep).join("/")) || test(plain) || absolute(plain) || test(basename(path));
  };
  return (file) => fits(file) || (basename(file) === "SKILL.md" && fits(dirname(file)));
}
