import { type PatternCommand, READING_PATTERN, readPattern } from "./shell/pattern.ts";

/** Returns, as a sentence, what a rule for commands covers. */
export function commandRuleWords(pattern: string): string {
  if (pattern === READING_PATTERN) return "Covers every command that changes nothing, also outside the workspace.";
  const read = readPattern(pattern);
  if ("problem" in read) return `Covers only ${pattern}.`; // the text of a rule is never another one
  return `Covers ${listed(read.commands.map(commandWords))}.`;
}

/** Returns what a rule for files covers. @param tool the tool whose calls it is about; `read` stands for all that read. */
export function fileRuleWords(tool: string, pattern: string): string {
  const calls = tool === "read" ? "reading" : `calls of ${tool} for`;
  const folder = /^([^*?[\]{}()!+@|\\]*)\/\*\*$/.exec(pattern)?.[1];
  if (folder !== undefined) return `Covers ${calls} everything in ${folder === "" ? "/" : folder}.`;
  return /(?<!\\)[*?[{(]/.test(pattern)
    ? `Covers ${calls} every path that matches ${pattern}.`
    : `Covers ${calls} ${pattern.replace(/\\(.)/g, "$1")}.`;
}

/** Returns what a rule for documents without a file covers. @param pattern an address, or its beginning and `*`. */
export function addressRuleWords(pattern: string): string {
  if (pattern === "untitled:*") return "Covers changes of all documents that aren't saved.";
  return pattern.endsWith("*")
    ? `Covers changes of every document whose address begins with ${pattern.slice(0, -1)}.`
    : `Covers changes of the document ${pattern}.`;
}

function commandWords({ words, isOpen }: PatternCommand): string {
  const [first, second] = words;
  if (first === ">" && words.length === 2) return `writing to ${shown(second)}`;
  const text = words.map(shown).join(" ");
  const hasAny = words.some((word) => typeof word !== "string");
  const any = hasAny ? ", with any letters for the *" : "";
  return isOpen ? `every command that begins with “${text}”${any}, whatever follows` : `exactly “${text}”${any}`;
}

function shown(word: PatternCommand["words"][number] | undefined): string {
  const text = typeof word === "string" ? word : (word?.texts.join("*") ?? "");
  return /^\S+$/.test(text) ? text : `'${text}'`;
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join("; ")}; and ${last}`;
}
