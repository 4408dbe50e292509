import type { WindowsWord } from "./command-line.ts";

/** How arguments are told apart: which names are switches, and which take the word behind them, by their lower-case name. */
export interface Parameters {
  switches?: RegExp;
  values?: RegExp;
}

/** The arguments of a command. */
export interface Arguments {
  switches: ReadonlySet<string>;
  values: ReadonlyMap<string, WindowsWord>;
  operands: readonly WindowsWord[];
}

/** Reads the arguments of a cmdlet. @returns undefined when one of them isn't known. */
export function cmdletArguments(
  words: readonly WindowsWord[],
  { switches, values }: Parameters,
): Arguments | undefined {
  const found = { switches: new Set<string>(), values: new Map<string, WindowsWord>(), operands: [] as WindowsWord[] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === undefined) continue;
    const name = word.isQuoted ? undefined : /^-([a-z]+)$/i.exec(word.text)?.[1]?.toLowerCase();
    if (name === undefined) {
      if (!word.isQuoted && word.text.startsWith("-")) return undefined;
      found.operands.push(word);
    } else if (switches?.test(name) === true) found.switches.add(name);
    else if (values?.test(name) === true) {
      const value = words[++at];
      if (value === undefined || (!value.isQuoted && value.text.startsWith("-"))) return undefined;
      found.values.set(name, value);
    } else return undefined;
  }
  return found;
}

/** Reads the arguments of a command that is part of `cmd.exe`. @returns undefined when one of them isn't known, or when a comma or the like parts them. */
export function internalArguments(words: readonly WindowsWord[], { switches }: Parameters): Arguments | undefined {
  const found = { switches: new Set<string>(), values: new Map<string, WindowsWord>(), operands: [] as WindowsWord[] };
  for (const word of words) {
    if (!word.isQuoted && /[,;=]/.test(word.text)) return undefined;
    const name = word.isQuoted ? undefined : /^\/(.+)$/.exec(word.text)?.[1]?.toLowerCase();
    if (name === undefined) found.operands.push(word);
    else if (switches?.test(name) === true) found.switches.add(name);
    else return undefined;
  }
  return found;
}

/** Returns a word for a POSIX shell that means a path; wildcards and the home folder stay what they are. */
export function pathWord({ text }: WindowsWord): string {
  const path = text.replaceAll("\\", "/");
  const [, home = "", rest = path] = /^(~)(|\/.*)$/s.exec(path) ?? [];
  const parts = rest.split(/([*?]+)/).map((part, at) => (at % 2 === 1 || part === "" ? part : quoted(part)));
  return home + parts.join("") || "''";
}

/** True for a path that begins at a folder or a disk: no drive of a provider, no stream of a file, no folder that a disk happens to be at. */
export function isPlainPath(text: string): boolean {
  return !text.replace(/^[a-z]:(?=[\\/])/i, "").includes(":");
}

/** True if a word for a POSIX shell has a wildcard. */
export function hasWildcard(word: string): boolean {
  return /[*?]/.test(word.replace(/'[^']*'/g, ""));
}

/** Returns a word for a POSIX shell that means just this text. */
export function textWord({ text }: WindowsWord): string {
  return quoted(text);
}

function quoted(text: string): string {
  return /^[\w./:=@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
