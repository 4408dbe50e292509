import type { InputContent } from "../../../agent/protocol/content.ts";
import type { ToolResultPayload } from "../../../agent/protocol/host-tools.ts";
import type { BashExecutionMessage, CallStop, RanCall } from "../../../agent/protocol/messages.ts";
import { t } from "../../../webview/l10n.ts";
import type { PanelImage, ToolItem, ToolState } from "../../../webview/protocol/items.ts";
import { coloredEnd } from "./colored-output.ts";
import { noteCall } from "./references.ts";
import { outcomeOf } from "./tool-outcome.ts";
import { countChanges, isRecord, presentCall } from "./tool-presenters.ts";
import { partOf, phraseOf } from "./tool-verbs.ts";
import { type Fold, takeId, upsert, withEntry, withoutEntry } from "./transcript-state.ts";
import { changedWords } from "./word-diff.ts";

/** Maximum length of the output's tail in a card, in UTF-16 units. */
export const MAX_OUTPUT_CHARS = 4_000;
/** Maximum length of a diff in a card, in UTF-16 units. */
export const MAX_DIFF_CHARS = 32_000;

/** Shows a card for a call that the model has begun to write. */
export function openCall(fold: Fold, callId: string, toolName: string): ToolItem {
  const item: ToolItem = {
    id: takeId(fold, callId),
    kind: "tool",
    toolName,
    state: "preparing",
    intent: "",
    input: "",
    output: "",
    isOutputCut: false,
    images: [],
  };
  return updateCall(fold, callId, item);
}

/** Puts the complete arguments on the card, which is created if needed. */
export function describeCall(
  fold: Fold,
  call: { id: string; name: string; args: unknown; state: ToolState },
): ToolItem {
  const open = fold.state.calls.get(call.id) ?? openCall(fold, call.id, call.name);
  return updateCall(fold, call.id, {
    ...open,
    ...presentCall(call.name, call.args, fold.state.cwd),
    toolName: call.name,
    state: call.state,
  });
}

/** Puts the call that ran on an open card, where the model had written it in another form. */
export function renameCall(fold: Fold, callId: string, { toolName: name, args }: RanCall): void {
  const open = fold.state.calls.get(callId);
  if (open) describeCall(fold, { id: callId, name, args, state: open.state });
}

/** Shows that a call waits for the user. */
export function showWaiting(fold: Fold, callId: string | undefined): void {
  const open = callId === undefined ? undefined : fold.state.calls.get(callId);
  if (open && callId !== undefined) updateCall(fold, callId, { ...open, state: "waiting" });
}

/** Puts the user's decision on the card of the call. @returns false if there is no such card. */
export function noteOnCall(fold: Fold, callId: string | undefined, note: string): boolean {
  const open = callId === undefined ? undefined : fold.state.calls.get(callId);
  if (!open || callId === undefined) return false;
  updateCall(fold, callId, { ...open, state: "running", note });
  return true;
}

/** Shows the partial result of a running call. Unknown calls are skipped. */
export function showPartialResult(fold: Fold, callId: string, partial: ToolResultPayload): void {
  const open = fold.state.calls.get(callId);
  if (open) updateCall(fold, callId, { ...open, state: "running", ...presentResult(partial) });
}

/** Ends a card. A second result for the same call is skipped. */
export function closeCall(
  fold: Fold,
  callId: string,
  end: { result: ToolResultPayload; isError: boolean; durationMs?: number | undefined; stopped?: CallStop | undefined },
): void {
  const open = fold.state.calls.get(callId);
  if (!open) return;
  const diff = diffOf(end.result.details);
  const item: ToolItem = {
    ...open,
    ...presentResult(end.result),
    ...exitCodeOf(open.toolName, end.isError, end.result.details),
    state: endState(end),
    ...(diff === undefined
      ? {}
      : { diff, words: changedWords(diff, true), intent: `${withoutCounts(open.intent)}${countChanges(diff)}` }),
    ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
  };
  fold.state.calls = withoutEntry(fold.state.calls, callId);
  fold.state.references = noteCall(fold.state.references, item);
  upsert(fold, { ...worded(item), ...(end.isError ? {} : outcomeOf(open.toolName, end.result)) });
}

/** Ends every open card: these calls will get no result any more. */
export function cancelCalls(fold: Fold): void {
  for (const item of fold.state.calls.values()) upsert(fold, worded({ ...item, state: "cancelled" }));
  if (fold.state.calls.size > 0) fold.state.calls = new Map();
}

/** Adds a finished card for a command that the user ran through the host. */
export function addShellRun(fold: Fold, message: BashExecutionMessage): void {
  const hasFailed = message.exitCode !== undefined && message.exitCode !== null && message.exitCode !== 0;
  upsert(
    fold,
    worded({
      id: takeId(fold),
      kind: "tool",
      toolName: "bash",
      state: message.cancelled ? "cancelled" : hasFailed ? "failed" : "done",
      ...presentCall("bash", { command: message.command }, fold.state.cwd),
      ...presentResult({ content: [{ type: "text", text: message.output }] }),
    }),
  );
}

/** Converts the images among content blocks for the page. */
export function imagesOf(content: readonly InputContent[]): PanelImage[] {
  const images: PanelImage[] = [];
  for (const block of content) {
    if (block.type === "image" && /^image\/(?:png|jpeg|gif|webp)$/.test(block.mimeType)) {
      images.push({ src: `data:${block.mimeType};base64,${block.data}`, alt: t("Image {0}", images.length + 1) });
    }
  }
  return images;
}

/** Joins the texts among content blocks with line breaks. */
export function textOf(content: string | readonly InputContent[]): string {
  if (typeof content === "string") return content;
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function updateCall(fold: Fold, callId: string, unworded: ToolItem): ToolItem {
  const item = worded(unworded);
  fold.state.calls = withEntry(fold.state.calls, callId, item);
  upsert(fold, item);
  return item;
}

/** Returns the item with the words for its state. */
export function worded(item: ToolItem): ToolItem {
  const part = partOf(item.toolName, item.input);
  return { ...item, phrase: phraseOf(item.toolName, item.state), ...(part === undefined ? {} : { part }) };
}

function endState({ isError, stopped }: { isError: boolean; stopped?: CallStop | undefined }): ToolState {
  if (!isError) return "done";
  if (stopped === undefined) return "failed";
  return stopped === "denied" ? "denied" : "cancelled";
}

function presentResult(result: ToolResultPayload): Pick<ToolItem, "output" | "isOutputCut" | "images"> {
  const output = textOf(result.content);
  return {
    output: coloredEnd(output, result.details, MAX_OUTPUT_CHARS) ?? output.slice(-MAX_OUTPUT_CHARS),
    isOutputCut: output.length > MAX_OUTPUT_CHARS,
    images: imagesOf(result.content),
  };
}

/** Returns the exit code of a failed command, parsed from the end of its output. */
function exitCodeOf(toolName: string, isError: boolean, details: unknown): Pick<ToolItem, "exitCode"> {
  if (toolName !== "bash" || !isError || !isRecord(details)) return {};
  return typeof details.exitCode === "number" ? { exitCode: details.exitCode } : {};
}

function diffOf(details: unknown): string | undefined {
  if (!isRecord(details)) return undefined;
  const diff = details.diff;
  return typeof diff === "string" && diff !== "" ? diff.slice(0, MAX_DIFF_CHARS) : undefined;
}

function withoutCounts(intent: string): string {
  return intent.replace(/ \+\d+ −\d+$/, "");
}
