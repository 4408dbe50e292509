import type { Piece, Script, Word } from "./script.ts";

/** A word of a command after quotes are gone. */
export interface ShellWord {
  /** Undefined when it is known only when the command runs. */
  value: string | undefined;
  /** Unquoted `*`, `?` or `[` stand in it. */
  isGlob: boolean;
  /** As it was typed. */
  source: string;
  /** The source of the file names that a command lists; the value is then undefined. */
  listed?: Listing;
}

/** Names of files that a command lists, which are known only when it runs. */
export interface Listing {
  /** Absolute paths: folders with all that is in them, and files. */
  folders: readonly string[];
  /** True where git lists what it keeps, which packages and what is ignored do not belong to. */
  isTracked: boolean;
}

/** Facts that are known when words are expanded. */
export interface Knowledge {
  home: string;
  /** Returns what a variable of a loop stands for in this round; undefined when it is not known. */
  variable(name: string, isQuoted: boolean): ShellWord | undefined;
  /** Returns what a substitution becomes; undefined when it is not known. */
  substitution(script: Script): ShellWord | undefined;
}

const MAX_ALTERNATIVES = 64;
const GLOB_CHARACTERS = /[*?[\]\\]/;
/** Characters by which the shell would make several words of a value, or match files. */
const SPLITS = /[\s*?[\]\\]/;

interface Part {
  value: string | undefined;
  isGlob: boolean;
  isQuoted: boolean;
}

/** A word as far as it has been put together. */
interface Alternative {
  value: string | undefined;
  isGlob: boolean;
  /** True when a quoted character stands in it that could not be told from an unquoted one any more. */
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

/** True when a word stays one word when the command runs: what is not quoted may become several, or none. */
export function isSingle({ value, isGlob, source }: ShellWord): boolean {
  if (value !== undefined) return !isGlob;
  return /^(?:[\w./:=+,%@-]|"(?:[^"\\]|\\.)*")*$/s.test(source);
}

/** True when a value stays one word without quotes. */
export function isTidy(value: string): boolean {
  return value !== "" && !SPLITS.test(value);
}

/** Returns the words that a word becomes: several where it has braces, none where nothing is left of it. */
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

/** Returns what a word becomes that is one variable or substitution and nothing else. */
function wholeWord(piece: Piece | undefined, knowledge: Knowledge): ShellWord | undefined {
  if (piece?.kind === "variable") return knowledge.variable(piece.name, piece.isQuoted);
  if (piece?.kind !== "substitution") return undefined;
  const word = knowledge.substitution(piece.script);
  // Listed names become several words without quotes; within quotes, they are one word that names no file.
  if (word?.listed !== undefined) return piece.isQuoted ? undefined : word;
  return piece.isQuoted || isTidy(word?.value ?? "") ? word : undefined;
}

/** Returns every alternative that a part of a word has; mostly one. */
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
  // `[` alone is a command. A quoted star beside a real one could not be told from it any more.
  if (source === "[") return plainWord("[");
  return value === undefined || (isGlob && hasQuotedGlob) ? unknownWord(source) : { value, isGlob, source };
}
