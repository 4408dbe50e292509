import { splitAttached } from "../../protocol/attached.ts";
import type { AssistantMessage, UserMessage } from "../../protocol/messages.ts";
import { around } from "../../util/excerpt.ts";
import { textOf } from "../message-text.ts";

/** The maximum length of a sentence, in UTF-16 units. A longer one is cut. */
const MAX_SENTENCE = 300;
const CODE_BLOCK = /^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\1[^\n]*$|(?![\s\S]))/gm;
const QUOTED_LINE = /^[ \t]*>.*$/gm;
const SKILL = /^<skill name="([^"]*)"[\s\S]*?<\/skill>/;
const PARAGRAPH = /\n\s*\n|\n(?=[ \t]*(?:[-*•]|\d+[.)])[ \t])/;
const BULLET = /^[ \t]*(?:[-*•]|\d+[.)])[ \t]+/;
const SENTENCE_END = /(?<=[.!?…。！？])\s+/;

/**
 * Returns the text that the user wrote in a message: without attached content, and with the name of a skill in place of its text.
 * It is empty for a message that was sent on the user's behalf.
 */
export function writtenBy(message: UserMessage): string {
  if (message.synthetic === true || message.attribution === "agent") return "";
  return splitAttached(textOf(message)).text.replace(SKILL, "/skill:$1").trim();
}

/** Returns the text of an answer, without thinking and tool calls. */
export function answerText({ content }: AssistantMessage): string {
  return content
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n\n")
    .trim();
}

/** Returns the sentences of a text, each on one line. Code blocks and quotations are left out. */
export function sentencesOf(text: string): string[] {
  return text
    .replace(CODE_BLOCK, "\n")
    .replace(QUOTED_LINE, "")
    .split(PARAGRAPH)
    .flatMap((paragraph) => paragraph.replace(BULLET, "").split(SENTENCE_END))
    .flatMap((sentence) => (sentence.length > MAX_SENTENCE ? sentence.split("\n") : [sentence]))
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => sentence !== "");
}

/** Returns the sentences that match a pattern. Of a long one, only the text around the match is returned. */
export function matchingSentences(sentences: readonly string[], pattern: RegExp): string[] {
  return sentences.flatMap((sentence) => {
    const at = sentence.search(pattern);
    if (at === -1) return [];
    return [sentence.length <= MAX_SENTENCE ? sentence : around(sentence, at, MAX_SENTENCE)];
  });
}
