import { parse, type Word } from "unbash";
import { hasInvisible } from "../visible-text.ts";
import { fixedWords } from "./known-tools.ts";

/** The pattern for all commands that change nothing. */
export const READING_PATTERN = "commands that only read";

const MAX_PATTERN_LENGTH = 200;

/** What one word of a command has to be: a text, or texts with anything between them. */
type PatternWord = string | { texts: readonly string[] };

/** One command that a pattern allows. */
export interface PatternCommand {
  words: readonly PatternWord[];
  /** Whether any words may follow. */
  isOpen: boolean;
}

/** A pattern, read: the commands that it allows, or what is wrong with it. */
export type ReadPattern = { commands: readonly PatternCommand[] } | { problem: string };

/** Reads a pattern: commands with `;` between them, `*` at the end for any further words, `*` in a word for any letters. */
export function readPattern(pattern: string): ReadPattern {
  const script = parse(pattern);
  if (script.errors !== undefined && script.errors.length > 0) return { problem: "cannot be read as commands" };
  const commands: PatternCommand[] = [];
  for (const { command, background } of script.commands) {
    if (command.type !== "Command" || background === true)
      return { problem: "commands with ; between them are needed" };
    const words: (PatternWord | undefined)[] = command.prefix.map((one) =>
      one.type === "Assignment" && one.value.type === "Word" ? prefixed(`${one.name}=`, one.value) : undefined,
    );
    const [redirect] = command.redirects;
    const args = command.name === undefined ? [] : [command.name, ...command.args];
    if (redirect !== undefined) {
      const isWriting =
        redirect.type === "Redirect" && /^(>|>>|>\|)$/.test(redirect.operator) && redirect.descriptor === undefined;
      if (!isWriting || redirect.target === undefined || args.length > 0 || command.redirects.length > 1) {
        return { problem: "a file to write to stands by itself, such as > out.txt" };
      }
      commands.push({ words: [">", patternWord(redirect.target) ?? "\0"], isOpen: false });
      continue;
    }
    const last = args.at(-1);
    const isOpen = args.length > 1 && last?.text === "*";
    for (const word of isOpen ? args.slice(0, -1) : args) {
      words.push(
        word.type === "Word"
          ? patternWord(word)
          : word.value.type === "Word"
            ? prefixed(`${word.name}=`, word.value)
            : undefined,
      );
    }
    const isRead = (word: PatternWord | undefined): word is PatternWord => word !== undefined;
    if (!words.every(isRead)) return { problem: "only words, quotes and * may be in it" };
    const name = words.find((word) => typeof word !== "string" || !/^[A-Za-z_]\w*=/.test(word));
    if (typeof name !== "string") return { problem: "it has to begin with the name of a command" };
    commands.push({ words, isOpen });
  }
  return commands.length === 0 ? { problem: "a command is needed" } : { commands };
}

/** Whether a command's words are what a pattern allows. Words that are not known fit only where anything does. */
export function matchesCommand({ words, isOpen }: PatternCommand, actual: readonly (string | undefined)[]): boolean {
  if (actual.length < words.length || (!isOpen && actual.length > words.length)) return false;
  return words.every((word, index) => {
    const one = actual[index];
    if (one === undefined) return false;
    return typeof word === "string" ? word === one : fits(word.texts, one) && !one.split("/").includes("..");
  });
}

/** The pattern for a command; undefined when only the whole text could be one and that is not known or too long. */
export function patternFor(words: readonly (string | undefined)[]): string | undefined {
  const fixed = words[0] === ">" ? undefined : fixedWords(words);
  const kept = words.slice(0, fixed);
  const isKnown = (word: string | undefined): word is string => word !== undefined;
  if (!kept.every(isKnown)) return undefined;
  const quoted = kept.map((word, index) => (word === ">" && index === 0 ? word : quote(word)));
  const pattern = [...quoted, ...(fixed === undefined ? [] : ["*"])].join(" ");
  return pattern.length > MAX_PATTERN_LENGTH || hasInvisible(pattern) ? undefined : pattern;
}

function quote(word: string): string {
  const assignment = /^([A-Za-z_]\w*=)([\s\S]*)$/.exec(word);
  if (assignment !== null) return `${assignment[1]}${quote(assignment[2] ?? "")}`;
  if (word !== "" && /^[\w@%+=:,./-]+$/.test(word)) return word;
  return word === "" ? "''" : `'${word.replaceAll("'", `'\\''`)}'`;
}

function prefixed(prefix: string, word: Word): PatternWord | undefined {
  const value = word.text === "" ? "" : patternWord(word);
  return typeof value === "string" ? prefix + value : undefined;
}

function patternWord(word: Word): PatternWord | undefined {
  if (word.parts === undefined) return word.text.startsWith("~") ? undefined : word.value;
  const pieces = word.parts.map((part) => {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
      case "AnsiCQuoted":
        return { text: part.value, isStar: false };
      case "DoubleQuoted": {
        const isPlain = part.parts.every(({ type }) => type === "Literal");
        return isPlain
          ? { text: part.parts.map((one) => ("value" in one ? one.value : "")).join(""), isStar: false }
          : undefined;
      }
      case "Glob":
        return part.kind === "star" ? { text: "*", isStar: true } : undefined;
      default:
        return undefined;
    }
  });
  let plain = "";
  const texts: string[] = [];
  let text = "";
  for (const piece of pieces) {
    if (piece === undefined) return undefined;
    plain += piece.text;
    if (piece.isStar) texts.push(text);
    text = piece.isStar ? "" : text + piece.text;
  }
  return texts.length === 0 ? plain : { texts: [...texts, text] };
}

/** Whether the texts stand in a word in this order, the first at its beginning and the last at its end. */
function fits(texts: readonly string[], word: string): boolean {
  const [first = ""] = texts;
  const last = texts.at(-1) ?? "";
  if (!word.startsWith(first)) return false;
  let at = first.length;
  for (const text of texts.slice(1, -1)) {
    const found = word.indexOf(text, at);
    if (found === -1) return false;
    at = found + text.length;
  }
  return word.length - last.length >= at && word.endsWith(last);
}
