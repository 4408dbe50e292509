import type { AssistantContent, InputContent } from "../../protocol/content.ts";
import type {
  AgentMessage,
  AssistantMessage,
  BashExecutionMessage,
  ToolResultMessage,
  UserMessage,
} from "../../protocol/messages.ts";
import { type Html, NOTHING } from "./html.ts";
import type { Pen } from "./pen.ts";
import { looseResult, toolCard } from "./tool-card.ts";

const MAX_COMMAND_CHARACTERS = 160;
/** Output with more lines is folded. */
const MAX_OPEN_LINES = 12;

/** Facts about a message besides its content. */
export interface Surroundings {
  /** Results of the message's tool calls, by the call's id. */
  results: ReadonlyMap<string, ToolResultMessage>;
  /** True if it continues a message of the same speaker, so that it needs no new heading. */
  isContinued: boolean;
}

/** Returns a message of the conversation; nothing for a message that people don't see. */
export function messageView(pen: Pen, message: AgentMessage, surroundings: Surroundings): Html {
  const { html } = pen;
  switch (message.role) {
    case "user":
      return userView(pen, message);
    case "assistant":
      return assistantView(pen, message, surroundings);
    case "toolResult":
      return html`<section class="entry">${looseResult(pen, message)}</section>`;
    case "bashExecution":
      return shellView(pen, message);
    case "custom":
      if (!message.display) return NOTHING;
      return html`<section class="entry custom">${heading(pen, message.customType, message.timestamp)}${inputContent(pen, message.content, pen.markdown)}</section>`;
    case "compactionSummary":
      return compactionView(pen, message.summary, message.tokensBefore);
    case "branchSummary":
      return branchView(pen, message.summary);
  }
}

/** Returns the place where a summary replaced earlier messages. @param tokensBefore size of the context until then. */
export function compactionView({ html, markdown }: Pen, summary: string, tokensBefore: number): Html {
  return html`<details class="turn"><summary>Chat compacted at ${formatCount(tokensBefore)} tokens</summary>${markdown(summary)}</details>`;
}

/** Returns the place where the conversation returned from another branch. */
export function branchView({ html, markdown }: Pen, summary: string): Html {
  return html`<details class="turn"><summary>The chat returned from another branch</summary>${markdown(summary)}</details>`;
}

/** Returns an integer with separators between thousands. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/**
 * Returns a time in UTC, because a page without scripts doesn't know its reader's time zone. @param at Unix ms, or text
 * for `Date.parse`.
 */
export function timeView({ html }: Pen, at: number | string, form: "time" | "date"): Html {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return NOTHING;
  const iso = date.toISOString();
  const day = iso.slice(0, 10);
  const time = iso.slice(11, 16);
  const shown = form === "date" ? `${day} ${time} UTC` : time;
  return html`<time datetime="${iso}" title="${day} ${time} UTC">${shown}</time>`;
}

function heading(pen: Pen, who: string, at: number): Html {
  return pen.html`<h2>${who} ${timeView(pen, at, "time")}</h2>`;
}

function userView(pen: Pen, message: UserMessage): Html {
  const { html } = pen;
  const files = (message.attachments ?? []).map(({ fileName, mimeType, content }) =>
    mimeType.startsWith("image/")
      ? pen.image({ type: "image", data: content, mimeType })
      : html`<p class="note">Attached: ${fileName}</p>`,
  );
  const who = message.attribution === "agent" || message.synthetic === true ? "Added by the agent" : "You";
  return html`<section class="entry user">${heading(pen, who, message.timestamp)}${inputContent(pen, message.content, pen.plain)}${files}</section>`;
}

function assistantView(pen: Pen, message: AssistantMessage, { results, isContinued }: Surroundings): Html {
  const { html } = pen;
  const blocks = message.content.map((block) => blockView(pen, block, results));
  const ending = endingView(pen, message);
  if (ending === NOTHING && blocks.every((block) => block === NOTHING)) return NOTHING;
  const title = isContinued ? NOTHING : heading(pen, message.model, message.timestamp);
  return html`<section class="entry${isContinued ? " continued" : ""}">${title}${blocks}${ending}</section>`;
}

function blockView(pen: Pen, block: AssistantContent, results: Surroundings["results"]): Html {
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? NOTHING : pen.markdown(block.text);
    case "thinking":
      return thinkingView(pen, block.thinking, block.redacted === true);
    case "toolCall":
      return toolCard(pen, block, results.get(block.id));
  }
}

function thinkingView({ html, markdown }: Pen, thinking: string, isRedacted: boolean): Html {
  if (isRedacted) return html`<p class="note">The provider hides this thinking</p>`;
  if (thinking.trim() === "") return NOTHING;
  return html`<details class="thinking"><summary>Thinking</summary>${markdown(thinking)}</details>`;
}

function endingView({ html }: Pen, { stopReason, errorMessage }: AssistantMessage): Html {
  switch (stopReason) {
    case "error":
      return html`<p class="failure">The model couldn't respond: ${errorMessage ?? "no reason given"}</p>`;
    case "aborted":
      return html`<p class="note">Stopped</p>`;
    case "length":
      return html`<p class="note">Cut off at the model's output limit</p>`;
    default:
      return NOTHING;
  }
}

function shellView(pen: Pen, message: BashExecutionMessage): Html {
  const { html } = pen;
  const isLong = message.output.split("\n", MAX_OPEN_LINES + 2).length > MAX_OPEN_LINES + 1;
  const hasFailed = message.cancelled || (message.exitCode ?? 0) !== 0;
  const state = message.cancelled ? "cancelled" : `exit ${message.exitCode ?? 0}`;
  const command = pen.brief(message.command, MAX_COMMAND_CHARACTERS);
  const whole = command === message.command ? NOTHING : pen.code(message.command, "Command");
  const output = message.output === "" ? html`<p class="note">No output</p>` : pen.code(message.output, "Output");
  const cut = message.truncated ? html`<p class="note">Output truncated.</p>` : NOTHING;
  const hidden = message.excludeFromContext === true ? html`<p class="note">The model did not see this.</p>` : NOTHING;
  const open = html`<summary><b>$</b> <span class="gist">${command}</span><span class="state">${state}</span></summary>${whole}${output}${cut}${hidden}`;
  const kind = hasFailed ? "failed" : "done";
  return html`<section class="entry">${heading(pen, "Your terminal", message.timestamp)}${
    isLong
      ? html`<details class="card ${kind}">${open}</details>`
      : html`<details class="card ${kind}" open>${open}</details>`
  }</section>`;
}

function inputContent(pen: Pen, content: string | readonly InputContent[], text: (source: string) => Html): Html[] {
  if (typeof content === "string") return [text(content)];
  return content.map((block) => (block.type === "text" ? text(block.text) : pen.image(block)));
}
