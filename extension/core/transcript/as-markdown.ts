import { t } from "../../../webview/l10n.ts";
import type { ToolItem, TranscriptItem } from "../../../webview/protocol/items.ts";
import { callWords, wordCall, wordState } from "../../../webview/protocol/tool-words.ts";
import { withoutColors } from "./colored-output.ts";

/** Converts an item to Markdown: its source text, not its appearance. Empty for rows without content of their own. */
export function itemAsMarkdown(item: TranscriptItem): string {
  switch (item.kind) {
    case "prompt":
    case "text":
      return item.text;
    case "thinking":
      return item.text.replace(/^/gm, "> ");
    case "tool":
      return toolAsMarkdown(item);
    case "notice":
      return item.text;
    case "activity":
      return item.text;
    case "question":
      return `${item.title}${item.answer === undefined ? "" : `\n\n${item.answer}`}`;
    case "footer":
      return "";
  }
}

/** Returns the turn of an item: from a prompt to the item before the next prompt. */
export function turnOf(items: readonly TranscriptItem[], id: string): readonly TranscriptItem[] {
  const at = items.findIndex((item) => item.id === id);
  if (at === -1) return [];
  const start = Math.max(
    0,
    items.slice(0, at + 1).findLastIndex(({ kind }) => kind === "prompt"),
  );
  const length = items.slice(start + 1).findIndex(({ kind }) => kind === "prompt");
  return items.slice(start, length === -1 ? undefined : start + 1 + length);
}

/** Converts items to one document with speakers. It includes thinking, a line for each tool, and notices. */
export function asMarkdown(items: readonly TranscriptItem[]): string {
  const parts: string[] = [];
  let speaker = "";
  for (const item of items) {
    const text = item.kind === "tool" ? toolLine(item) : itemAsMarkdown(item).trim();
    if (text === "") continue;
    const next = item.kind === "prompt" ? t("You") : "Tiller";
    if (next !== speaker) parts.push(`## ${next}`);
    speaker = next;
    parts.push(text);
  }
  return parts.length === 0 ? "" : `${parts.join("\n\n")}\n`;
}

function toolLine(item: ToolItem): string {
  const call = wordCall(item);
  return `- ${item.state === "done" ? call : `${call} (${wordState(item.state)})`}`;
}

function toolAsMarkdown(item: ToolItem): string {
  const [before, object, after] = callWords(item);
  const parts = [`**${before}** ${[object, after].join(" ").trim()}`.trim()];
  if (item.diff !== undefined) parts.push(fenced(item.diff, "diff"));
  else if (item.input !== "") parts.push(fenced(item.input, item.inputLanguage ?? ""));
  if (item.output !== "") parts.push(fenced(withoutColors(item.output), ""));
  return parts.join("\n\n");
}

/** Puts a text in a fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}
