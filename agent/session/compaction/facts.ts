import * as z from "zod";
import type { ToolCall } from "../../protocol/content.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage, UserMessage } from "../../protocol/messages.ts";
import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { firstLine } from "../../util/excerpt.ts";
import { answerText, matchingSentences, sentencesOf, writtenBy } from "./sentences.ts";

/** The kinds of facts, the most important one first. */
export const FACT_KINDS = ["ruledOut", "required", "task", "asked", "decided", "name"] as const;
export type FactKind = (typeof FACT_KINDS)[number];

/** Something that was said, word for word. */
export interface Fact {
  kind: FactKind;
  text: string;
}

/** A longer message of the user is cut. In UTF-16 units, as the other limits. */
const MAX_REQUEST = 1200;
const MAX_ANSWER = 300;
const MAX_NAME = 100;
/** Facts are searched in the beginning and the end of a message. */
const MAX_SEARCHED_END = 20_000;
/** One pasted document must not fill the space for all rules. */
const MAX_RULES_OF_MESSAGE = 20;
/** A shorter message, such as "go on", tells nothing by itself. */
const MIN_WORDS = 3;

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]|[\p{L}\p{N}_./-]+/gu;
/** Past and present facts, such as "it did not work", rule nothing out. */
const RULED_OUT =
  /\b(?:never|(?<!(?:does|did|was|were|has|have|had|could|would) )not|no|none|nothing|(?:do|must|should|ca|wo|need|is|are)n['’]t|cannot|avoid|without|instead of|stop|forbidden|off[- ]limits|nie|niemals|nicht|nichts|kein\w*|ohne|statt|keinesfalls|verboten)\b/i;
const REQUIRED =
  /\b(?:must|always|only|have to|has to|need to|needs to|make sure|ensure|exactly|prefer|at least|at most|immer|nur|muss|müssen|musst|stets|unbedingt|genau|mindestens|höchstens|sicherstellen)\b/i;
const DECIDED =
  /\b(?:decid\w+|decision|(?:I|we)(?:['’]ll| will)(?: now)? (?:use|keep|go with|leave|name|call|stay|put|store)|(?:going|go|went) with|let['’]s (?:use|keep|go)|chose|chosen|choose|opt(?:ed)? for|settled on|instead of|rather than|agreed|entschieden|entscheid\w*|wir nehmen|ich nehme|statt)\b/i;
const NAMES =
  /`([^`\n]{2,100})`|https?:\/\/[^\s<>()"'`]+|(?<![\p{L}\p{N}_/.@-])(?:~|\.{1,2})?\/?[\p{L}\p{N}_@.-]+(?:\/[\p{L}\p{N}_@.-]+)+/gu;

const Question = z.object({ question: z.string().trim().min(1) });
const Subject = z.object({ command: z.string().optional(), path: z.string().optional() });

/**
 * Collects the facts of a path: the user's rules and requests, decisions, and names. The same path always gives the same facts.
 * @returns each fact once, the oldest first; one that was repeated stands where it was said last.
 */
export function collectFacts(entries: Iterable<KnownSessionEntry>): Fact[] {
  const collector = new FactCollector();
  for (const entry of entries) if (entry.type === "message") collector.take(entry.message);
  return collector.facts;
}

class FactCollector {
  readonly #facts = new Map<string, Fact>();
  /** The calls whose results have not come yet, by id. */
  readonly #calls = new Map<string, ToolCall>();
  /** The question that the last answer ended with. */
  #question: string | undefined;

  get facts(): Fact[] {
    return [...this.#facts.values()];
  }

  take(message: AgentMessage): void {
    if (message.role === "user") this.#takeUser(message);
    else if (message.role === "assistant") this.#takeAnswer(message);
    else if (message.role === "toolResult") this.#takeResult(message);
  }

  #takeUser(message: UserMessage): void {
    const whole = writtenBy(message);
    const text = withoutMiddle(whole);
    if (text === "") return;
    const statements = sentencesOf(text).filter((sentence) => !sentence.endsWith("?"));
    const ruledOut = matchingSentences(statements, RULED_OUT).slice(0, MAX_RULES_OF_MESSAGE);
    const required = matchingSentences(
      statements.filter((sentence) => !RULED_OUT.test(sentence)),
      REQUIRED,
    ).slice(0, MAX_RULES_OF_MESSAGE);
    for (const rule of ruledOut) this.#add("ruledOut", rule);
    for (const rule of required) this.#add("required", rule);
    if (this.#question !== undefined) this.#add("decided", `${this.#question} — ${firstLine(text, MAX_ANSWER)}`);
    this.#question = undefined;
    const isAllRules = statements.length > 0 && statements.length === ruledOut.length + required.length;
    if (!isAllRules && hasSubstance(text)) this.#add("asked", shorten(whole, MAX_REQUEST));
    this.#addNames(text);
  }

  #takeAnswer(message: AssistantMessage): void {
    if (message.stopReason === "error") return;
    const text = withoutMiddle(answerText(message));
    const isOfInterest = DECIDED.test(text) || text.endsWith("?");
    const sentences = isOfInterest ? sentencesOf(text) : []; // most answers need no splitting
    for (const sentence of matchingSentences(sentences, DECIDED)) this.#add("decided", sentence);
    this.#addNames(text);
    const last = sentences.at(-1);
    this.#question = last?.endsWith("?") === true ? last : undefined;
    for (const block of message.content) if (block.type === "toolCall") this.#calls.set(block.id, block);
  }

  #takeResult(message: ToolResultMessage): void {
    const call = this.#calls.get(message.toolCallId);
    this.#calls.delete(message.toolCallId);
    if (call === undefined) return;
    const answer = firstLine(resultText(message), MAX_ANSWER);
    if (message.stopped === "denied") {
      this.#add("ruledOut", `The user did not allow ${describeCall(call)} (${answer})`);
      return;
    }
    const question = Question.safeParse(call.arguments).data?.question;
    if (question !== undefined && !message.isError)
      this.#add("decided", `${firstLine(question, MAX_ANSWER)} — ${answer}`);
  }

  #addNames(text: string): void {
    for (const [match, quoted] of text.matchAll(NAMES)) {
      const name = (quoted ?? match.replace(/[.,:;]+$/, "")).trim();
      if (name.length > 2 && name.length <= MAX_NAME) this.#add("name", name);
    }
  }

  #add(kind: FactKind, text: string): void {
    const key = `${kind} ${text.toLowerCase()}`;
    this.#facts.delete(key);
    this.#facts.set(key, { kind, text });
  }
}

function hasSubstance(text: string): boolean {
  return (text.match(WORD)?.length ?? 0) >= MIN_WORDS;
}

function describeCall({ name, arguments: args }: ToolCall): string {
  const { command, path } = Subject.safeParse(args).data ?? {};
  return `${name} ${firstLine(command ?? path ?? JSON.stringify(args), MAX_ANSWER)}`;
}

function resultText({ content }: ToolResultMessage): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

/** Returns a text without the middle if it is a very long one, such as a pasted log. */
function withoutMiddle(text: string): string {
  if (text.length <= 2 * MAX_SEARCHED_END) return text;
  return `${text.slice(0, MAX_SEARCHED_END)}\n\n${text.slice(-MAX_SEARCHED_END)}`;
}

function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "");
  return `${kept}\n[${text.length - kept.length} more characters]`;
}
