import type { AssistantContent } from "../../../agent/protocol/content.ts";
import type { AssistantMessageEvent } from "../../../agent/protocol/events.ts";
import type { AgentMessage, AssistantMessage, UserMessage } from "../../../agent/protocol/messages.ts";
import { RULE_MESSAGE_TYPE, RuleMessageDetails } from "../../../agent/protocol/stream-rules.ts";
import { t } from "../../../webview/l10n.ts";
import { takeApart } from "../mentions/sent-chips.ts";
import { closeAnswer, countUsage, endOffer, failureOf } from "./fold-answer.ts";
import { addShellRun, closeCall, describeCall, imagesOf, openCall, renameCall, textOf } from "./fold-tools.ts";
import { noteLinks } from "./references.ts";
import { MAX_INPUT_CHARS } from "./tool-presenters.ts";
import {
  addNotice,
  type Fold,
  type OpenBlock,
  type OpenText,
  remove,
  takeId,
  upsert,
  withEntry,
} from "./transcript-state.ts";

/** Maximum number of rules that are named; others are only counted. */
const MAX_RULE_NAMES = 5;

/** Begins a message; only a model's reply is shown before it is complete. */
export function startMessage(fold: Fold, message: AgentMessage): void {
  if (message.role !== "assistant") return;
  if (fold.state.failure && fold.state.failure.kind !== "length") remove(fold, fold.state.replyItems);
  fold.state.failure = undefined;
  fold.state.blocks = new Map();
  fold.state.replyItems = [];
}

/** Takes the final form of a message, and corrects what was streamed where it differs. */
export function endMessage(fold: Fold, message: AgentMessage): void {
  switch (message.role) {
    case "user":
      addPrompt(fold, message);
      return;
    case "assistant":
      endReply(fold, message);
      return;
    case "toolResult":
      if (message.ranAs !== undefined) renameCall(fold, message.toolCallId, message.ranAs);
      closeCall(fold, message.toolCallId, {
        result: { content: message.content, details: message.details },
        isError: message.isError,
        durationMs: message.durationMs,
        stopped: message.stopped,
      });
      return;
    case "bashExecution":
      addShellRun(fold, message);
      return;
    case "custom":
      if (message.customType === RULE_MESSAGE_TYPE) tellOfRules(fold, message.details);
      else if (message.display) addNotice(fold, { level: "info", text: textOf(message.content) });
      return;
    case "compactionSummary":
    case "branchSummary":
      upsert(fold, {
        id: takeId(fold),
        kind: "activity",
        activity: "compaction",
        text:
          message.role === "branchSummary" ? t("Returned from another branch") : t("Earlier messages were compacted"),
        isRunning: false,
        detail: message.summary,
      });
  }
}

/** Applies one step of a streaming reply. Steps that do not fit are skipped. */
export function streamReply(fold: Fold, event: AssistantMessageEvent): void {
  switch (event.type) {
    case "text_delta":
      appendText(fold, "text", event.contentIndex, event.delta);
      return;
    case "thinking_delta":
      appendText(fold, "thinking", event.contentIndex, event.delta);
      return;
    case "text_end":
    case "thinking_end":
      endTextBlock(fold, event.contentIndex, event.content);
      return;
    case "toolcall_start":
      if (event.id !== undefined && event.toolName !== undefined) {
        openCallBlock(fold, event.contentIndex, event.id, event.toolName);
      }
      return;
    case "toolcall_delta":
      appendArguments(fold, event.contentIndex, event.delta);
      return;
    case "toolcall_end":
      openCallBlock(fold, event.contentIndex, event.toolCall.id, event.toolCall.name);
      describeCall(fold, { ...callFields(event.toolCall), state: "queued" });
      return;
    default:
      return;
  }
}

/** Reports that rules stopped the reply. Its text stays, since the answer continues from there. */
function tellOfRules(fold: Fold, details: unknown): void {
  fold.state.failure = undefined;
  const names = RuleMessageDetails.safeParse(details).data?.rules ?? [];
  const shown = names.slice(0, MAX_RULE_NAMES).join(", ");
  const left = names.length - MAX_RULE_NAMES;
  const few =
    names.length > 1 ? t("Rules {0} interrupted the response.", shown) : t("Rule {0} interrupted the response.", shown);
  const text = left > 0 ? t("Rules {0} and {1} more interrupted the response.", shown, left) : few;
  if (names.length > 0) addNotice(fold, { level: "info", text });
}

function addPrompt(fold: Fold, message: UserMessage): void {
  closeAnswer(fold);
  endOffer(fold);
  if (message.synthetic) return;
  const images = typeof message.content === "string" ? [] : imagesOf(message.content);
  const id = takeId(fold);
  const { text, contexts } = takeApart(textOf(message.content), id);
  if (text === "" && images.length === 0 && contexts.length === 0) return;
  upsert(fold, { id, kind: "prompt", text, images, ...(contexts.length === 0 ? {} : { sent: contexts }) });
}

function appendText(fold: Fold, kind: "text" | "thinking", index: number, delta: string): void {
  const block = fold.state.blocks.get(index);
  if (block === undefined) {
    const itemId = takeId(fold);
    rememberBlock(fold, index, openText(fold, kind, itemId, delta.length));
    upsert(fold, { id: itemId, kind, text: delta, isStreaming: true });
    return;
  }
  if (block.kind !== kind || block.isFinished) return;
  const sentChars = block.sentChars + delta.length;
  fold.state.blocks = withEntry(fold.state.blocks, index, { ...block, sentChars, lastAt: fold.now });
  fold.ops.push({ op: "append", id: block.itemId, text: delta });
}

function endTextBlock(fold: Fold, index: number, text: string): void {
  const block = fold.state.blocks.get(index);
  if (!block || block.kind === "toolCall" || text.trim() === "") return;
  finishText(fold, block, text);
  fold.state.blocks = withEntry(fold.state.blocks, index, { ...block, sentChars: text.length, isFinished: true });
}

function openText(fold: Fold, kind: OpenText["kind"], itemId: string, sentChars: number): OpenText {
  return { kind, itemId, startedAt: fold.now, lastAt: fold.now, sentChars, isFinished: false };
}

/** Finishes a streamed text. The page has it already when all of its length was sent, since deltas add up to the whole. */
function finishText(fold: Fold, block: OpenText, text: string): void {
  const elapsedMs = block.lastAt - block.startedAt;
  const duration = block.kind === "thinking" && elapsedMs > 0 ? { durationMs: elapsedMs } : {};
  if (block.sentChars === text.length) {
    if (!block.isFinished) fold.ops.push({ op: "finish", id: block.itemId, ...duration });
  } else if (block.kind === "thinking") {
    upsert(fold, { id: block.itemId, kind: "thinking", text, isStreaming: false, ...duration });
  } else {
    upsert(fold, { id: block.itemId, kind: "text", text, isStreaming: false });
  }
}

function openCallBlock(fold: Fold, index: number, callId: string, toolName: string): void {
  if (fold.state.blocks.has(index)) return;
  const { id: itemId } = openCall(fold, callId, toolName);
  rememberBlock(fold, index, { kind: "toolCall", itemId, callId, receivedChars: 0 });
}

function appendArguments(fold: Fold, index: number, delta: string): void {
  const block = fold.state.blocks.get(index);
  if (block?.kind !== "toolCall" || block.receivedChars >= MAX_INPUT_CHARS) return;
  const text = delta.slice(0, MAX_INPUT_CHARS - block.receivedChars);
  const receivedChars = block.receivedChars + text.length;
  fold.state.blocks = withEntry(fold.state.blocks, index, { ...block, receivedChars });
  fold.ops.push({ op: "append", id: block.itemId, text });
}

function rememberBlock(fold: Fold, index: number, block: OpenBlock): void {
  fold.state.blocks = withEntry(fold.state.blocks, index, block);
  fold.state.replyItems = [...fold.state.replyItems, block.itemId];
}

function endReply(fold: Fold, message: AssistantMessage): void {
  const streamed = [...fold.state.blocks].sort(([a], [b]) => a - b).map(([, block]) => block);
  fold.state.blocks = new Map();
  const items: string[] = [];
  for (const content of message.content) {
    const itemId = endBlock(fold, content, takeMatching(streamed, content));
    if (itemId !== undefined) items.push(itemId);
  }
  for (const block of streamed) dropBlock(fold, block);
  fold.state.replyItems = items;
  if (failureOf(message)?.kind !== "error") {
    for (const content of message.content) {
      if (content.type === "text") fold.state.references = noteLinks(fold.state.references, content.text);
    }
  }
  countUsage(fold, message, items.length > 0);
  fold.state.failure = failureOf(message);
}

/** Removes and returns the first streamed block of the same kind: unfinished blocks may be missing in the final message. */
function takeMatching(streamed: OpenBlock[], content: AssistantContent): OpenBlock | undefined {
  const at = streamed.findIndex((block) =>
    block.kind === "toolCall"
      ? content.type === "toolCall" && content.id === block.callId
      : block.kind === content.type,
  );
  return at === -1 || isBlank(content) ? undefined : streamed.splice(at, 1)[0];
}

function isBlank(content: AssistantContent): boolean {
  if (content.type === "toolCall") return false;
  return (content.type === "text" ? content.text : content.thinking).trim() === "";
}

/** @returns the id of the item that shows the block, or undefined when there is nothing to show. */
function endBlock(fold: Fold, content: AssistantContent, block: OpenBlock | undefined): string | undefined {
  if (content.type === "toolCall") {
    return describeCall(fold, { ...callFields(content), state: "queued" }).id;
  }
  if (isBlank(content)) return undefined;
  const text = content.type === "text" ? content.text : content.thinking;
  const open = block?.kind === "toolCall" ? undefined : block;
  const finished = open ?? openText(fold, content.type, takeId(fold), -1);
  finishText(fold, finished, text);
  return finished.itemId;
}

function dropBlock(fold: Fold, block: OpenBlock): void {
  remove(fold, [block.itemId]);
  if (block.kind !== "toolCall") return;
  const calls = new Map(fold.state.calls);
  calls.delete(block.callId);
  fold.state.calls = calls;
}

function callFields(call: { id: string; name: string; arguments: Record<string, unknown> }) {
  return { id: call.id, name: call.name, args: call.arguments };
}
