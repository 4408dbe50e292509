import { readdirSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { realPath } from "../places.ts";
import { globTest } from "./glob.ts";
import type { ShellWord } from "./words.ts";

/** The folders that a command may run in. There may be several, because a `cd` before it may fail. */
export type Folders = ReadonlySet<string> | "unknown";

const MAX_FOLDERS = 16;
const MAX_MATCHES = 500;
/** Operating systems don't accept longer paths. */
const MAX_PATH_LENGTH = 4096;

/** Returns all folders of both. */
export function either(one: Folders, other: Folders): Folders {
  if (one === "unknown" || other === "unknown") return "unknown";
  const all = new Set([...one, ...other]);
  return all.size > MAX_FOLDERS ? "unknown" : all;
}

/** Returns the folders that a path leads to from other folders. */
export function enter(folders: Folders, target: string | undefined): Folders {
  if (target === undefined) return "unknown";
  // After a link, `..` means different folders for the system and for the shell, and the shell uses either.
  const starts = folders === "unknown" ? ["/"] : [...folders];
  const isPlain = starts.every(
    (start) => realPath(`${isAbsolute(target) ? "" : start}/${target}`) === realPath(resolve(start, target)),
  );
  if (target.split("/").includes("..") && !isPlain) return "unknown";
  if (isAbsolute(target)) return new Set([resolve(target)]);
  if (folders === "unknown") return "unknown";
  return new Set([...folders].map((folder) => resolve(folder, target)));
}

/**
 * Returns the absolute paths that a word may mean, with their `..`, which only code that follows links can resolve. A
 * glob means its matches at this moment, and a file of any name at that place. @returns undefined when they are
 * unknown.
 */
export function pathsOf(word: ShellWord, folders: Folders): string[] | undefined {
  const { value, isGlob } = word;
  if (value === undefined || value.includes("\0") || value.length > MAX_PATH_LENGTH) return undefined;
  if (!isGlob) {
    if (isAbsolute(value)) return [value];
    return folders === "unknown" ? undefined : [...folders].map((folder) => `${folder}/${value}`);
  }
  const starts = isAbsolute(value) ? [""] : folders === "unknown" ? undefined : [...folders];
  if (starts === undefined) return undefined;
  const found: string[] = [];
  for (const start of starts) {
    const matches = expandGlob(start, value);
    if (matches === undefined) return undefined;
    found.push(...matches);
  }
  return found;
}

function expandGlob(start: string, pattern: string): string[] | undefined {
  const segments = pattern.split("/").filter((segment) => segment !== "");
  let places = [start];
  for (const segment of segments) {
    if (!/[*?[\\]/.test(segment)) {
      places = places.map((place) => `${place}/${segment}`);
      continue;
    }
    const isMatch = globTest(segment);
    const next = places.flatMap((place) => {
      const names = namesIn(place).filter((name) => isMatch(name));
      const parent = segment.startsWith(".") && isMatch("..") ? [`${place}/..`] : [];
      const any = `${place}/${segment.startsWith(".") ? ".any" : "any"}`;
      return [any, ...parent, ...names.map((name) => `${place}/${name}`)];
    });
    if (next.length > MAX_MATCHES) return undefined;
    places = next;
  }
  return places;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing is there to match
  }
}

/** Returns the folders that `cd` leads to if it succeeds. @param words the command with its name. */
export function folderAfter([, ...args]: readonly ShellWord[], folders: Folders, home: string): Folders {
  const operands = args.filter(({ value }) => value !== "--");
  const [target] = operands;
  if (target === undefined) return enter(folders, home);
  const isPlain = operands.length === 1 && !target.isGlob && !target.value?.startsWith("-") && target.value !== "";
  return isPlain ? enter(folders, target.value) : "unknown";
}

/** True when both contain the same folders. */
export function isSame(one: Folders, other: Folders): boolean {
  if (one === "unknown" || other === "unknown") return one === other;
  return one.size === other.size && [...one].every((folder) => other.has(folder));
}
