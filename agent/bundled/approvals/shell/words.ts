import type { Piece, Script, Word } from "./script.ts";

/** A word of a command, without its quotes. */
export interface ShellWord {
  /** Undefined if the value is known only when the command runs. */
  value: string | undefined;
  /** True when it contains an unquoted `*`, `?` or `[`. */
  isGlob: boolean;
  /** The word as it was typed. */
  source: string;
  /** The source of the file names that a command lists; the value is then undefined. */
  listed?: Listing;
}

/** File names that a command lists; they are known only when the command runs. */
export interface Listing {
  /** Absolute paths of files, and of folders, which include everything in them. */
  folders: readonly string[];
  /** True when git lists the files that it tracks, which include neither packages nor ignored files. */
  isTracked: boolean;
}

/** Facts that are known when words are expanded. */
export interface Knowledge {
  home: string;
  /** Returns the value of a loop variable in this iteration; undefined when it is unknown. */
  variable(name: string, isQuoted: boolean): ShellWord | undefined;
  /** Returns the result of a substitution; undefined when it is unknown. */
  substitution(script: Script): ShellWord | undefined;
}

const MAX_ALTERNATIVES = 64;
const GLOB_CHARACTERS = /[*?[\]\\]/;
/** Characters that make the shell split a value into several words, or match files. */
const SPLITS = /[\s*?[\]\\]/;

interface Part {
  value: string | undefined;
  isGlob: boolean;
  isQuoted: boolean;
}

/** A word that is being assembled. */
interface Alternative {
  value: string | undefined;
  isGlob: boolean;
  /** True when it contains a quoted character that can no longer be distinguished from an unquoted one. */
  hasQuotedGlob: boolean;
  hasBracket: boolean;
}

const UNKNOWN: Part = { value: undefined, isGlob: false, isQuoted: false };

/** Returns a word that is known only when the command runs. */
export function unknownWord(source: string): ShellWord {
  return { value: undefined, isGlob: false, source };
}

/** Returns a word whose text is known. */
export function plainWord(value: string): ShellWord {
  return { value, isGlob: false, source: value };
}

/** True when a word stays one word when the command runs: an unquoted value may become several words, or none. */
export function isSingle({ value, isGlob, source }: ShellWord): boolean {
  if (value !== undefined) return !isGlob;
  return /^(?:[\w./:=+,%@-]|"(?:[^"\\]|\\.)*")*$/s.test(source);
}

/** True when a value stays one word without quotes. */
export function isTidy(value: string): boolean {
  return value !== "" && !SPLITS.test(value);
}

/** Returns the words that a word expands to: several if it has braces, none if it becomes empty. */
export function expandWord({ source, pieces }: Word, knowledge: Knowledge): ShellWord[] {
  const filled = pieces.filter((piece) => piece.kind !== "text" || piece.text !== "");
  const whole = filled.length === 1 ? wholeWord(filled[0], knowledge) : undefined;
  if (whole !== undefined) return [{ ...whole, source }];
  let alternatives: Alternative[] = [{ value: "", isGlob: false, hasQuotedGlob: false, hasBracket: false }];
  for (const [index, piece] of filled.entries()) {
    const choices = partsOf(piece, index === 0 && startsFolder(filled[1]), knowledge);
    alternatives = alternatives.flatMap((before) => choices.map((part) => extended(before, part)));
    if (alternatives.length > MAX_ALTERNATIVES) return [unknownWord(source)];
  }
  const words = alternatives.map((one) => wordOf(one, source));
  const isQuoted = pieces.some((piece) => "isQuoted" in piece && piece.isQuoted);
  return isQuoted ? words : words.filter(({ value }) => value !== "");
}

function startsFolder(piece: Piece | undefined): boolean {
  return piece?.kind === "text" && piece.text.startsWith("/");
}

/** Returns the expansion of a word that consists of a single variable or substitution. */
function wholeWord(piece: Piece | undefined, knowledge: Knowledge): ShellWord | undefined {
  if (piece?.kind === "variable") return knowledge.variable(piece.name, piece.isQuoted);
  if (piece?.kind !== "substitution") return undefined;
  const word = knowledge.substitution(piece.script);
  // Listed names become several words without quotes; within quotes, they are one word that names no file.
  if (word?.listed !== undefined) return piece.isQuoted ? undefined : word;
  return piece.isQuoted || isTidy(word?.value ?? "") ? word : undefined;
}

/** Returns all alternatives of a part of a word; usually one. */
function partsOf(piece: Piece, mayBeGlob: boolean, knowledge: Knowledge): Part[] {
  switch (piece.kind) {
    case "text":
      return [{ value: piece.text, isGlob: false, isQuoted: piece.isQuoted }];
    case "glob":
      return [{ value: piece.text, isGlob: true, isQuoted: false }];
    case "home":
      return [{ value: knowledge.home, isGlob: false, isQuoted: true }];
    case "braces":
      return piece.alternatives.map((value) => ({ value, isGlob: false, isQuoted: false }));
    case "variable":
      return [variablePart(piece, mayBeGlob, knowledge)];
    case "substitution": {
      const value = knowledge.substitution(piece.script)?.value;
      const isKnown = value !== undefined && (piece.isQuoted || isTidy(value));
      return [isKnown ? { value, isGlob: false, isQuoted: true } : UNKNOWN];
    }
  }
}

function variablePart(
  { name, isQuoted }: { name: string; isQuoted: boolean },
  mayBeGlob: boolean,
  knowledge: Knowledge,
): Part {
  const word = knowledge.variable(name, isQuoted);
  // A glob's match remains a match if a name in its directory follows.
  if (word?.value === undefined || (word.isGlob && !mayBeGlob)) return UNKNOWN;
  return { value: word.value, isGlob: word.isGlob, isQuoted: !word.isGlob };
}

function extended(before: Alternative, { value, isGlob, isQuoted }: Part): Alternative {
  return {
    value: before.value === undefined || value === undefined ? undefined : before.value + value,
    isGlob: before.isGlob || isGlob,
    hasQuotedGlob:
      before.hasQuotedGlob || (isQuoted && (before.hasBracket ? value !== "" : GLOB_CHARACTERS.test(value ?? ""))),
    hasBracket: before.hasBracket || (isGlob && value?.includes("[") === true),
  };
}

function wordOf({ value, isGlob, hasQuotedGlob }: Alternative, source: string): ShellWord {
  // `[` alone is a command. A quoted star could not be distinguished from an unquoted star in the same word.
  if (source === "[") return plainWord("[");
  return value === undefined || (isGlob && hasQuotedGlob) ? unknownWord(source) : { value, isGlob, source };
}
