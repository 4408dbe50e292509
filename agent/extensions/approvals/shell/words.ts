import type { Word, WordPart } from "unbash";

/** A word of a command after quotes are gone. */
export interface ShellWord {
  /** Undefined when it is known only when the command runs. */
  value: string | undefined;
  /** Unquoted `*`, `?` or `[` stand in it. */
  isGlob: boolean;
  /** As it was typed. */
  source: string;
}

/** What variables are known to be. */
export type Variables = (name: string) => string | undefined;

interface Piece {
  value: string | undefined;
  isGlob: boolean;
  isQuoted: boolean;
}

const MAX_ALTERNATIVES = 64;
const GLOB_CHARACTERS = /[*?[\]\\]/;
/** Alternatives without anything that would need a second look. */
const PLAIN_BRACES = /^\{[\w./@%+:=-]*(?:,[\w./@%+:=-]*)+\}$/;

/** A word that is known only when the command runs. */
export function unknownWord(source: string): ShellWord {
  return { value: undefined, isGlob: false, source };
}

/** A word whose text is known. */
export function plainWord(value: string): ShellWord {
  return { value, isGlob: false, source: value };
}

/** Whether a word stays one word when the command runs: what is not quoted may become several, or none. */
export function isSingle({ value, isGlob, source }: ShellWord): boolean {
  if (value !== undefined) return !isGlob;
  return /^(?:[\w./:=+,%@-]|"(?:[^"\\]|\\.)*")*$/s.test(source) && !/\$@|\$\{@|\[@\]/.test(source);
}

/** The words that a word becomes: several where it has braces with alternatives. */
export function expandWord(word: Word, variables: Variables): ShellWord[] {
  const pieces =
    word.parts === undefined ? [[literal(word.value)]] : word.parts.map((part) => piecesOf(part, variables));
  let alternatives: Piece[][] = [[]];
  for (const choices of pieces) {
    alternatives = alternatives.flatMap((before) => choices.map((piece) => [...before, piece]));
    if (alternatives.length > MAX_ALTERNATIVES) return [unknownWord(word.text)];
  }
  return alternatives.map((one) => withHome(word, joined(one, word.text), variables));
}

function joined(pieces: readonly Piece[], source: string): ShellWord {
  const isGlob = pieces.some((piece) => piece.isGlob);
  let value = "";
  for (const piece of pieces) {
    // A quoted star beside a real one could not be told from it any more.
    const isUnclear = isGlob && piece.isQuoted && GLOB_CHARACTERS.test(piece.value ?? "");
    if (piece.value === undefined || isUnclear) return unknownWord(source);
    value += piece.value;
  }
  return { value, isGlob, source };
}

/** Every alternative that a part of a word has; mostly one. */
function piecesOf(part: WordPart, variables: Variables): Piece[] {
  switch (part.type) {
    case "Literal":
      return [literal(part.value)];
    case "Glob":
      return [{ value: part.value, isGlob: true, isQuoted: false }];
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [{ value: part.value, isGlob: false, isQuoted: true }];
    case "DoubleQuoted":
    case "LocaleString": {
      const values = part.parts.map((child) => piecesOf(child, variables)[0]?.value);
      const isKnown = values.every((value) => value !== undefined);
      return [{ value: isKnown ? values.join("") : undefined, isGlob: false, isQuoted: true }];
    }
    case "SimpleExpansion":
      return [variable(part.text.slice(1), variables)];
    case "ParameterExpansion": {
      const isPlain = part.operation === undefined && part.index === undefined && part.prefix === undefined;
      return [isPlain ? variable(part.parameter, variables) : unknownPiece()];
    }
    case "BraceExpansion":
      if (!PLAIN_BRACES.test(part.text)) return [unknownPiece()];
      return part.text.slice(1, -1).split(",").map(literal);
    default:
      return [unknownPiece()];
  }
}

function literal(value: string): Piece {
  return { value, isGlob: false, isQuoted: false };
}

function unknownPiece(): Piece {
  return { value: undefined, isGlob: false, isQuoted: false };
}

/** A value with white space or stars would become several words where it is not quoted. */
function variable(name: string, variables: Variables): Piece {
  const value = variables(name);
  return value === undefined || /[\s*?[\]\\]/.test(value) ? unknownPiece() : { value, isGlob: false, isQuoted: true };
}

/** Puts the home folder in place of an unquoted `~`, also behind a `name=`. */
function withHome(word: Word, read: ShellWord, variables: Variables): ShellWord {
  const tilde = /^([A-Za-z_]\w*=)?~([^/]*)/.exec(word.text);
  if (tilde === null || read.value === undefined) return read;
  const [, name = "", user = ""] = tilde;
  const home = variables("HOME");
  if (user !== "" || home === undefined) return unknownWord(word.text);
  return { ...read, value: `${name}${home}${read.value.slice(name.length + 1)}` };
}
