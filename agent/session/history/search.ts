import type { MatchRole, SessionMatch } from "../../protocol/history.ts";
import { around } from "../../util/excerpt.ts";
import { addLine, hasBegun, nameOf, noFacts } from "./facts.ts";
import { type FileLine, readLines } from "./file-lines.ts";
import { kindOf, MessageLine, parseLine, partsOf, textsOf } from "./line-kind.ts";
import type { SessionFileInfo } from "./session-files.ts";
import type { Slices } from "./slices.ts";

const KEEP_BYTES = 4 * 1024 * 1024;
const MATCH_UNITS = 200;
/** An excerpt of many words that are far apart has shorter pieces, down to this length. */
const MIN_PIECE_UNITS = 30;

/** A text that people see, and its place. */
interface Visible {
  role: MatchRole;
  entryId: string | undefined;
  text: string;
}

/** Returns the words of a query in the form for comparison; each has to occur. Empty without a query. */
export function wordsOf(query: string | undefined): string[] {
  return [
    ...new Set(
      comparable(query ?? "")
        .split(/\s+/)
        .filter((word) => word !== ""),
    ),
  ];
}

/**
 * Searches a session file: messages of the user and the model, commands and paths in tool calls, and the session's
 * name. Searches only the first 256 KiB of a line of more than 4 MiB. Stops reading as soon as every word is found.
 * @param words as `wordsOf` gives them.
 * @returns undefined when a word does not occur, or the file is no session.
 * @throws the reason of the slices' signal once it is aborted, or an error of the file system.
 */
export async function searchFile(
  { path }: Pick<SessionFileInfo, "path">,
  words: readonly string[],
  slices: Slices,
): Promise<SessionMatch | undefined> {
  const finder = new Finder(words);
  const facts = noFacts(path);
  const take = (line: FileLine): boolean => {
    if (!hasBegun(facts, line)) return facts.isForeign;
    const { role, type } = kindOf(line);
    if (type !== "message") return addLine(facts, line);
    return (role === "toolResult" ? [] : visibleIn(line)).some((visible) => finder.take(visible));
  };
  await readLines({ path, keepBytes: () => KEEP_BYTES, slices }, (line) => partsOf(line).some(take));
  const name = nameOf(facts);
  if (name !== undefined) finder.take({ role: "name", entryId: undefined, text: name });
  return finder.match;
}

/** Takes texts until they contain every word. */
class Finder {
  readonly #missing: Set<string>;
  readonly #words: readonly string[];
  /** The text with the most words so far. */
  #best: { visible: Visible; count: number } | undefined;

  constructor(words: readonly string[]) {
    this.#words = words;
    this.#missing = new Set(words);
  }

  /** @returns whether every word is found. */
  take(visible: Visible): boolean {
    const text = comparable(visible.text);
    const found = this.#words.filter((word) => text.includes(word));
    for (const word of found) this.#missing.delete(word);
    if (found.length > (this.#best?.count ?? 0)) this.#best = { visible, count: found.length };
    return this.#missing.size === 0;
  }

  get match(): SessionMatch | undefined {
    if (this.#missing.size > 0 || this.#best === undefined) return undefined;
    const { role, entryId, text } = this.#best.visible;
    const excerpt = excerptOf(text, this.#words);
    return { text: excerpt, role, ...(entryId === undefined ? {} : { entryId }) };
  }
}

function excerptOf(text: string, words: readonly string[]): string {
  const shown = text.normalize("NFC");
  const compared = comparable(text);
  const places = words.map((word) => compared.indexOf(word)).filter((at) => at !== -1);
  // In a few languages, a small letter is longer than its capital, so positions don't match the original text.
  const source = shown.length === compared.length ? shown : compared;
  const [first = 0] = places.sort((a, b) => a - b);
  const areNear = places.every((at) => at - first < MATCH_UNITS / 2);
  if (areNear) return around(source, first, MATCH_UNITS);
  const units = Math.floor(MATCH_UNITS / places.length) - 1;
  return units < MIN_PIECE_UNITS
    ? around(source, first, MATCH_UNITS)
    : places.map((at) => around(source, at, units)).join(" ");
}

function comparable(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

function visibleIn(line: FileLine): Visible[] {
  const { data } = MessageLine.safeParse(parseLine(line));
  if (data === undefined) return [];
  const { id: entryId, message } = data;
  const as = (role: MatchRole) => (text: string) => ({ role, entryId, text });
  switch (message.role) {
    case "user":
      return textsOf(message.content).map(as("user"));
    case "assistant":
      return [...textsOf(message.content).map(as("assistant")), ...calledWith(message).map(as("tool"))];
    case "bashExecution":
      return message.command === undefined ? [] : [as("bash")(message.command)];
    default:
      return [];
  }
}

function calledWith({ content }: MessageLine["message"]): string[] {
  if (!Array.isArray(content)) return [];
  const calls = content.flatMap(({ type, arguments: args }) => (type === "toolCall" && args ? [args] : []));
  return calls.flatMap(({ command, path }) => [command, path].filter((text) => text !== undefined));
}
