import * as z from "zod";
import { around } from "../util/excerpt.ts";
import { type AnyTool, defineTool, textOutput } from "./tool.ts";

/** The number of messages that a search shows at once. */
const PAGE_MESSAGES = 10;
/** In UTF-16 units, as the other limits. */
const EXCERPT_UNITS = 400;
const PAGE_UNITS = 8000;

/** A message of the session as text. */
export interface SaidMessage {
  entryId: string;
  /** The author, such as `user` or `result of bash`. */
  by: string;
  /** ISO time. */
  timestamp: string;
  text: string;
}

/** Everything that was said in a session. */
export interface Memory {
  /** True if the model no longer sees all of it. */
  readonly isCut: boolean;
  /** The messages that the model sees or has seen, the newest first. */
  messages(): Iterable<SaidMessage>;
}

const RecallInput = z.object({
  query: z.string().optional().describe("Words to find"),
  entry: z.string().optional().describe("Id of one message, to read all of it"),
  offset: z.int().min(0).optional().describe("Where to continue: matches for query, characters for entry"),
});

/** Makes the tool that searches what was said before. The model is told of it once it no longer sees everything. */
export function recallTool(memory: Memory): AnyTool {
  return defineTool({
    name: "recall",
    description:
      "Searches everything said earlier in this session, including messages and tool results that you no longer see. Give query to find messages, or entry to read one.",
    input: RecallInput,
    concurrency: "shared",
    isReadOnly: true,
    isOffered: () => memory.isCut,
    summarize: ({ query, entry }) => query ?? entry ?? "",
    run: async ({ query = "", entry, offset = 0 }) => {
      if (entry !== undefined) return textOutput(readMessage(memory, entry, offset));
      const words = [...new Set(comparable(query).match(/\S+/g) ?? [])];
      if (words.length === 0) throw new Error('Give query or entry, such as {"query": "port number"}.');
      return textOutput(search(memory, words, offset));
    },
  });
}

function readMessage(memory: Memory, entryId: string, offset: number): string {
  for (const message of memory.messages()) {
    if (message.entryId !== entryId) continue;
    const { text } = message;
    const end = Math.min(text.length, offset + PAGE_UNITS);
    const rest =
      end < text.length ? `\n\n[Characters ${offset} to ${end} of ${text.length}. Continue with offset ${end}.]` : "";
    return `${heading(message)}\n${text.slice(offset, end)}${rest}`;
  }
  throw new Error(`No message has the id "${entryId}". Search with query first.`);
}

/** Finds the messages with most of the words: those with the most words first, of equal ones the newest. */
function search(memory: Memory, words: readonly string[], offset: number): string {
  const phrase = words.join(" ");
  const found: { entryId: string; score: number }[] = [];
  for (const { entryId, text } of memory.messages()) {
    const compared = comparable(text);
    const count = words.filter((word) => compared.includes(word)).length;
    if (count * 2 > words.length || count === words.length)
      found.push({ entryId, score: count + (compared.includes(phrase) ? 1 : 0) });
  }
  if (found.length === 0) return "Nothing matches. Try fewer or other words.";
  const page = found.sort((a, b) => b.score - a.score).slice(offset, offset + PAGE_MESSAGES);
  const end = offset + page.length;
  const lines = excerpts(memory, new Set(page.map(({ entryId }) => entryId)), words);
  const rest = end < found.length ? `, the next with offset ${end}` : "";
  return [
    `Matches ${offset + 1} to ${end} of ${found.length}${rest}. Read a whole message with its id as entry.`,
    ...page.flatMap(({ entryId }) => lines.get(entryId) ?? []),
  ].join("\n\n");
}

function excerpts(memory: Memory, entryIds: ReadonlySet<string>, words: readonly string[]): Map<string, string> {
  const lines = new Map<string, string>();
  for (const message of memory.messages()) {
    if (!entryIds.has(message.entryId)) continue;
    const compared = comparable(message.text);
    const places = [words.join(" "), ...words.toSorted((a, b) => b.length - a.length)].map((word) =>
      compared.indexOf(word),
    );
    const at = places.find((place) => place !== -1) ?? 0;
    lines.set(message.entryId, `${heading(message)}\n${around(message.text, at, EXCERPT_UNITS)}`);
  }
  return lines;
}

function heading({ entryId, by, timestamp }: SaidMessage): string {
  return `[${entryId}] ${by}, ${timestamp.slice(0, 16).replace("T", " ")}`;
}

function comparable(text: string): string {
  return text.toLowerCase();
}
