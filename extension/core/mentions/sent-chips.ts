import {
  type ContextAttachment,
  type ContextBlock,
  type ContextSource,
  ContextWord,
} from "../../../webview/protocol/context.ts";
import { blockWords } from "./block-words.ts";
import { findMentions, formatMention } from "./mention-text.ts";
import { splitPrompt } from "./prompt-blocks.ts";

/** Creates a chip with the present content of a source. @param chip.mark its place in the text; empty without one. */
export function chipOf(
  block: ContextBlock,
  chip: { readonly id: string; readonly source: ContextSource; readonly mark: string },
): ContextAttachment {
  return { kind: "context", ...chip, ...blockWords(block) };
}

/** Splits a message written with blocks into the user's text and chips that hold what was sent. @param id prefix of the chips' ids. */
export function takeApart(message: string, id: string): { text: string; contexts: ContextAttachment[] } {
  const { text, blocks } = splitPrompt(message);
  const chips = blocks.map((block, index) => {
    const chip = { id: `${id}-${index}`, ...sourceOf(block, text) };
    return { ...chipOf(block, chip), fixed: block };
  });
  return { text, contexts: chips };
}

/** Returns the source of a block. A word in the text can be read from the editor again; other blocks have only their sent content. */
function sourceOf({ meta }: ContextBlock, text: string): { source: ContextSource; mark: string } {
  if (meta.kind === "pasted") return { source: { kind: "sent" }, mark: markOfPasted(text, meta.name) };
  const word = ContextWord.safeParse(meta.kind).data;
  if (word !== undefined && findMentions(text).some(({ target }) => target.kind === word)) {
    return { source: { kind: word }, mark: `@${word}` };
  }
  if (meta.kind === "resource") {
    const { server, uri, name } = meta;
    const mark = formatMention({ kind: "path", path: `${server}:${uri}` });
    if (text.includes(mark)) return { source: { kind: "resource", server, uri, name }, mark };
  }
  const symbol = meta.kind === "symbol" ? formatMention({ kind: "symbol", name: meta.name }) : "";
  return { source: { kind: "sent" }, mark: symbol !== "" && text.includes(symbol) ? symbol : "" };
}

/** Returns the mark of a pasted text in a message, such as `[Pasted text 1: 40 lines]`; empty without one. */
function markOfPasted(text: string, name: string): string {
  const start = text.indexOf(`[${name}: `);
  const end = start === -1 ? -1 : text.indexOf("]", start);
  return end === -1 ? "" : text.slice(start, end + 1);
}
