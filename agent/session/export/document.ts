import type { InputContent, ToolCall } from "../../protocol/content.ts";
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../../protocol/messages.ts";
import type { KnownSessionEntry } from "../../protocol/session-entries.ts";
import { PDF_TYPE } from "../../util/pdf.ts";
import type { Redact } from "../../util/redact.ts";
import { mainLine, resultsAfter } from "./main-line.ts";
import type { SessionPage } from "./session-page.ts";

/**
 * Writes a session as one Markdown document: the messages from the first entry to the leaf with their speakers,
 * thinking as quotes, and each tool call with its input and result. Names images instead of including them.
 * @returns the document in pieces.
 */
export function* documentParts({ header, entries, leafId, redact }: SessionPage): Generator<string> {
  const line = mainLine(entries, leafId);
  const named = line.findLast((entry) => entry?.type === "session_info");
  const name = named?.type === "session_info" ? named.name : undefined;
  const began = new Date(header.timestamp);
  const facts = [Number.isNaN(began.getTime()) ? "" : began.toISOString(), header.cwd].filter((fact) => fact !== "");
  yield redact(`# ${oneLine(name || header.title || "Session")}\n\n${facts.join(" · ")}\n`);
  const told = new Set<ToolResultMessage>();
  let speaker = "";
  for (const [index, entry] of line.entries()) {
    if (entry === undefined) continue;
    const results = resultsAfter(line, index);
    const part = entryPart(entry, results, told);
    if (part === undefined || part.text.trim() === "") continue;
    if (part.speaker !== speaker) yield redact(`\n## ${oneLine(part.speaker)}\n`);
    speaker = part.speaker;
    yield redact(`\n${part.text.trim()}\n`);
  }
}

/**
 * Writes a session as a session file: lines of JSON, header first, with all branches.
 * @returns the lines, each with its LF.
 */
export function* linesParts({ header, entries, redact }: SessionPage): Generator<string> {
  yield `${JSON.stringify(redacted({ ...header }, redact))}\n`;
  for (const { entry } of entries) yield `${JSON.stringify(redacted({ ...entry }, redact))}\n`;
}

/** Returns a copy of a JSON value, with `redact` applied to all texts and field names. */
function redacted(value: unknown, redact: Redact): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), redacted(item, redact)]));
}

interface Part {
  speaker: string;
  text: string;
}

type Results = ReadonlyMap<string, ToolResultMessage>;

function entryPart(entry: KnownSessionEntry, results: Results, told: Set<ToolResultMessage>): Part | undefined {
  switch (entry.type) {
    case "message":
      return messagePart(entry.message, results, told);
    case "custom_message":
      return entry.display ? { speaker: entry.customType, text: contentText(entry.content) } : undefined;
    case "compaction":
      return { speaker: "Summary of what came before", text: entry.summary };
    case "branch_summary":
      return { speaker: "Summary of another branch", text: entry.summary };
    default:
      return undefined;
  }
}

function messagePart(message: AgentMessage, results: Results, told: Set<ToolResultMessage>): Part | undefined {
  switch (message.role) {
    case "user":
      return { speaker: message.synthetic ? "Added by the agent" : "You", text: contentText(message.content) };
    case "assistant":
      for (const result of results.values()) told.add(result);
      return { speaker: "Tiller", text: answerText(message, results) };
    case "toolResult":
      return told.has(message) ? undefined : { speaker: "Tiller", text: resultText(message) };
    case "bashExecution":
      return { speaker: "Your terminal", text: `${fenced(message.command, "sh")}\n\n${fenced(message.output, "")}` };
    case "custom":
      return message.display ? { speaker: message.customType, text: contentText(message.content) } : undefined;
    case "compactionSummary":
    case "branchSummary":
      return undefined; // their entries are told
  }
}

function answerText({ content, stopReason, errorMessage }: AssistantMessage, results: Results): string {
  const blocks = content.map((block) => {
    if (block.type === "text") return block.text.trim();
    if (block.type === "toolCall") return callText(block, results.get(block.id));
    return block.redacted || block.thinking.trim() === "" ? "" : block.thinking.trim().replace(/^/gm, "> ");
  });
  const ending =
    stopReason === "error"
      ? `*Failed: ${errorMessage ?? "no reason given"}*`
      : stopReason === "aborted"
        ? "*Stopped*"
        : "";
  return [...blocks, ending].filter((text) => text !== "").join("\n\n");
}

function callText({ name, arguments: input }: ToolCall, result: ToolResultMessage | undefined): string {
  const texts = Object.entries(input).map(([field, value]) => {
    const isLong = typeof value === "string" && value.includes("\n");
    const shown = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
    return isLong || shown.includes("\n") ? `${field}:\n\n${fenced(shown, "")}` : `${field}: ${coded(shown)}`;
  });
  const head = `**${name}**${result === undefined ? " (no result)" : ""}`;
  return [head, ...texts, ...(result === undefined ? [] : [resultBody(result)])]
    .filter((text) => text !== "")
    .join("\n\n");
}

function resultText(result: ToolResultMessage): string {
  return `**${result.toolName}**\n\n${resultBody(result)}`;
}

function resultBody({ content, isError }: ToolResultMessage): string {
  const text = contentText(content);
  const body = text.trim() === "" ? "" : fenced(text, "");
  return isError ? `*Failed*\n\n${body}`.trim() : body;
}

function contentText(content: string | readonly InputContent[]): string {
  if (typeof content === "string") return content;
  return content
    .map((block) =>
      block.type === "text"
        ? block.text
        : `*(${block.mimeType === PDF_TYPE ? "a PDF" : `an image, ${block.mimeType}`})*`,
    )
    .join("\n\n");
}

/** Returns a code block whose fence is longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text.replace(/\n$/, "")}\n${fence}`;
}

function coded(text: string): string {
  const longest = [...text.matchAll(/`+/g)].reduce((most, [ticks]) => Math.max(most, ticks.length), 0);
  const tick = "`".repeat(longest + 1);
  return longest === 0 ? `${tick}${text}${tick}` : `${tick} ${text} ${tick}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
