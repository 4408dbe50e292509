import type { ToolCall } from "../../protocol/content.ts";
import type { ToolResultMessage } from "../../protocol/messages.ts";
import { type Html, NOTHING } from "./html.ts";
import type { Pen } from "./pen.ts";

const MAX_SUMMARY_CHARACTERS = 160;
/** The arguments that describe a call best; the first one present is used. */
const TELLING = ["command", "path", "file_path", "pattern", "query", "url"];

/** Returns a tool call with its input and result, folded into one line. */
export function toolCard(pen: Pen, written: ToolCall, result: ToolResultMessage | undefined): Html {
  const { ranAs } = result ?? {};
  const call = ranAs === undefined ? written : { ...written, name: ranAs.toolName, arguments: ranAs.args };
  const { html } = pen;
  const diff = diffOf(result);
  const input = diff === undefined ? inputOf(pen, call.arguments) : diffView(pen, diff);
  return html`<details class="card ${stateClass(result)}"><summary><b>${call.name}</b> <span class="gist">${gist(pen, call)}</span>${stateNote(pen, result)}</summary>${input}${result === undefined ? NOTHING : resultView(pen, result)}</details>`;
}

/** Returns a tool result without its call. */
export function looseResult(pen: Pen, result: ToolResultMessage): Html {
  return pen.html`<details class="card ${stateClass(result)}"><summary><b>${result.toolName}</b>${stateNote(pen, result)}</summary>${resultView(pen, result)}</details>`;
}

function gist(pen: Pen, { arguments: input, intent }: ToolCall): string {
  const telling = intent ?? TELLING.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof telling === "string" ? pen.brief(telling, MAX_SUMMARY_CHARACTERS) : "";
}

function stateClass(result: ToolResultMessage | undefined): string {
  if (result === undefined) return "open-end";
  return result.isError ? "failed" : "done";
}

function stateNote({ html }: Pen, result: ToolResultMessage | undefined): Html {
  if (result === undefined) return html`<span class="state">no result</span>`;
  const duration = result.durationMs === undefined ? undefined : ` ${formatDuration(result.durationMs)}`;
  return html`<span class="state">${result.isError ? "failed" : "done"}${duration}</span>`;
}

function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

function inputOf(pen: Pen, input: ToolCall["arguments"]): Html {
  const { html } = pen;
  const rows = Object.entries(input).map(([name, value]) => {
    // In JSON, a line feed is two characters; a plain text is easier to read and to search for keys.
    const shown = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
    return shown.includes("\n") || shown.length > MAX_SUMMARY_CHARACTERS
      ? html`<dt>${name}</dt><dd>${pen.code(shown, name)}</dd>`
      : html`<dt>${name}</dt><dd><code>${shown}</code></dd>`;
  });
  return rows.length === 0 ? NOTHING : html`<dl class="input">${rows}</dl>`;
}

function resultView(pen: Pen, { content, isError }: ToolResultMessage): Html {
  const { html } = pen;
  const parts = content.map((block) => {
    if (block.type === "image") return pen.image(block);
    return block.text === "" ? NOTHING : pen.code(block.text, "Result");
  });
  const isEmpty = parts.every((part) => part === NOTHING);
  return html`<div class="result"><span class="caption">${isError ? "Error" : "Result"}</span>${isEmpty ? html`<p class="note">No result</p>` : parts}</div>`;
}

function diffOf(result: ToolResultMessage | undefined): string | undefined {
  const details = result?.details;
  if (typeof details !== "object" || details === null || !("diff" in details)) return undefined;
  return typeof details.diff === "string" && details.diff !== "" ? details.diff : undefined;
}

function diffView({ html }: Pen, diff: string): Html {
  const lines = diff.split("\n").map((line) => {
    if (line.startsWith("+")) return html`<ins>${line}\n</ins>`;
    return line.startsWith("-") ? html`<del>${line}\n</del>` : html`${line}\n`;
  });
  return html`<pre class="diff" tabindex="0" role="group" aria-label="Change"><code>${lines}</code></pre>`;
}
