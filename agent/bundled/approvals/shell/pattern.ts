import { hasInvisible } from "../../../util/visible-text.ts";
import { fixedWords } from "./fixed-words.ts";
import { parseScript } from "./parse-script.ts";
import type { AndOr, Assignment, Word } from "./script.ts";

/** The pattern for all commands that change nothing. */
export const READING_PATTERN = "commands that only read";

const MAX_PATTERN_LENGTH = 200;

/** The pattern of a word: a text, or texts with anything between them. */
type PatternWord = string | { texts: readonly string[] };

/** One command that a pattern allows. */
export interface PatternCommand {
  words: readonly PatternWord[];
  /** True when any words may follow. */
  isOpen: boolean;
}

/** The result of reading a pattern: the commands that it allows, or the problem as text. */
export type ReadPattern = { commands: readonly PatternCommand[] } | { problem: string };

/** Reads a pattern: commands with `;` between them, `*` at the end for any further words, `*` in a word for any letters. */
export function readPattern(pattern: string): ReadPattern {
  const parsed = parseScript(pattern);
  if ("problem" in parsed) return { problem: "isn't a list of commands" };
  const commands: PatternCommand[] = [];
  for (const node of parsed.script) {
    const command = readCommand(node);
    if (typeof command === "string") return { problem: command };
    commands.push(command);
  }
  return commands.length === 0 ? { problem: "enter a command" } : { commands };
}

/** @returns the problem as text. */
function readCommand({ pipelines }: AndOr): PatternCommand | string {
  const [first] = pipelines;
  const [command] = first?.pipeline.commands ?? [];
  const isAlone = pipelines.length === 1 && first?.pipeline.isNegated === false && first.pipeline.commands.length === 1;
  if (command?.type !== "simple" || !isAlone) return "separate commands with ;";
  const [redirect] = command.redirects;
  if (redirect !== undefined) {
    const target = redirect.kind === "write" ? patternWord(redirect.target) : undefined;
    const isWhole = command.redirects.length === 1 && command.words.length === 0 && command.assignments.length === 0;
    if (target === undefined || !isWhole) return "write an output file as a part of its own, such as > out.txt";
    return { words: [">", target], isOpen: false };
  }
  const isOpen = command.words.length > 1 && command.words.at(-1)?.source === "*";
  const words = [
    ...command.assignments.map(assignedWord),
    ...command.words.slice(0, isOpen ? -1 : undefined).map(patternWord),
  ];
  const isRead = (word: PatternWord | undefined): word is PatternWord => word !== undefined;
  if (!words.every(isRead)) return "use only words, quotes, and *";
  if (typeof words[command.assignments.length] !== "string") return "start it with the name of a command";
  return { words, isOpen };
}

/** True when a pattern allows a command's words. An unknown word never matches. */
export function matchesCommand({ words, isOpen }: PatternCommand, actual: readonly (string | undefined)[]): boolean {
  if (actual.length < words.length || (!isOpen && actual.length > words.length)) return false;
  if (actual.includes(undefined)) return false;
  return words.every((word, index) => {
    const one = actual[index] ?? "";
    return typeof word === "string" ? word === one : fits(word.texts, one) && !one.split("/").includes("..");
  });
}

/**
 * Returns the pattern for a command; undefined when only the whole text could be the pattern, and it is unknown or too
 * long. @param isWhole true if the pattern may allow no other words.
 */
export function patternFor(words: readonly (string | undefined)[], isWhole = false): string | undefined {
  const fixed = words[0] === ">" || isWhole ? undefined : fixedWords(words);
  const kept = words.slice(0, fixed);
  const isKnown = (word: string | undefined): word is string => word !== undefined;
  if (!words.every(isKnown) || !kept.every(isKnown)) return undefined;
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

function assignedWord({ name, value }: Assignment): PatternWord | undefined {
  const text = patternWord(value);
  return typeof text === "string" ? `${name}=${text}` : undefined;
}

function patternWord({ pieces }: Word): PatternWord | undefined {
  const texts: string[] = [""];
  let plain = "";
  for (const piece of pieces) {
    if (piece.kind === "glob" && piece.text === "*") texts.push("");
    else if (piece.kind === "text") texts[texts.length - 1] += piece.text;
    else return undefined;
    plain += piece.text;
  }
  return texts.length === 1 ? plain : { texts };
}

/** True when a word contains the texts in this order, begins with the first, and ends with the last. */
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
