import { t } from "../../../webview/l10n.ts";
import { formatMention } from "../../core/mentions/mention-text.ts";

const MAX_QUOTE_CHARS = 160;

/** A comment of the user on lines of a file. */
export interface LineComment {
  /** The file as messages name it. */
  readonly path: string;
  /** 1-based, both inclusive. */
  readonly startLine: number;
  readonly endLine: number;
  /** The text of the first line, which finds the place again after edits. */
  readonly quote: string;
  /** `before`: the lines are those before the agent's changes. `gone`: the file was deleted since. */
  readonly state: "here" | "before" | "gone";
  readonly text: string;
}

/** Writes the message that tells the agent all comments with their places. */
export function composeComments(comments: readonly LineComment[]): string {
  const head = comments.length === 1 ? t("My comment on this line:") : t("My comments on these lines:");
  return [head, ...comments.map(wordComment)].join("\n\n");
}

function wordComment(comment: LineComment): string {
  const { path, startLine, endLine, text } = comment;
  const place = formatMention({ kind: "path", path, lines: { startLine, endLine } });
  const lines = text.trim().split(/\r?\n/);
  const quote = wordQuote(comment.quote);
  return [`- ${place}${wordState(comment.state)}${quote}`, ...lines.map((line) => `  ${line}`.trimEnd())].join("\n");
}

function wordState(state: LineComment["state"]): string {
  if (state === "here") return "";
  return ` ${state === "before" ? t("(before your changes)") : t("(deleted since)")}`;
}

/** Quotes a line of code; one with backticks is left out, since it could not be closed. */
function wordQuote(line: string): string {
  const quote = line.trim();
  if (quote === "" || quote.includes("`")) return "";
  return ` \`${quote.length > MAX_QUOTE_CHARS ? `${quote.slice(0, MAX_QUOTE_CHARS).replace(/[\ud800-\udbff]$/, "")}…` : quote}\``;
}
