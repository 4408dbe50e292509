import {
  type ContextAttachment,
  type ContextBlock,
  type ContextSource,
  ContextWord,
} from "../../../webview/protocol/context.ts";
import { blockWords } from "./block-words.ts";
import { findMentions, formatMention } from "./mention-text.ts";
import { splitPrompt } from "./prompt-blocks.ts";

/** A chip for what a source gives at this moment. @param chip.mark its place in the text; empty when it has none. */
export function chipOf(
  block: ContextBlock,
  chip: { readonly id: string; readonly source: ContextSource; readonly mark: string },
): ContextAttachment {
  return { kind: "context", ...chip, ...blockWords(block) };
}

/**
 * Takes a message that was written with blocks apart: the user's words, and chips that hold what was sent. @param id begins the ids of the chips.
 */
export function takeApart(message: string, id: string): { text: string; contexts: ContextAttachment[] } {
  const { text, blocks } = splitPrompt(message);
  const chips = blocks.map((block, index) => {
    const chip = { id: `${id}-${index}`, ...sourceOf(block, text) };
    return { ...chipOf(block, chip), fixed: block };
  });
  return { text, contexts: chips };
}

/** A word that stands in the text can be read from the editor again; of the rest there is only what was sent. */
function sourceOf({ meta }: ContextBlock, text: string): { source: ContextSource; mark: string } {
  const word = ContextWord.safeParse(meta.kind).data;
  if (word !== undefined && findMentions(text).some(({ target }) => target.kind === word)) {
    return { source: { kind: word }, mark: `@${word}` };
  }
  const symbol = meta.kind === "symbol" ? formatMention({ kind: "symbol", name: meta.name }) : "";
  return { source: { kind: "sent" }, mark: symbol !== "" && text.includes(symbol) ? symbol : "" };
}
