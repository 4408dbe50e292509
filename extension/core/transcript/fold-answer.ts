import type { AssistantMessage } from "../../../agent/protocol/messages.ts";
import { t } from "../../../webview/l10n.ts";
import { wordCacheRewrite } from "./cache-words.ts";
import { cancelCalls } from "./fold-tools.ts";
import { NO_REFERENCES, shownReferences } from "./references.ts";
import type { NoticeItem } from "./transcript-state.ts";
import { type Answer, addNotice, type Failure, type Fold, takeId, upsert } from "./transcript-state.ts";

/** Actions that are withdrawn once the user has gone on. */
const GOES_ON: ReadonlySet<string> = new Set(["tiller.continueRun", "tiller.tryAgain"]);

/** Returns how a reply broke off, or undefined for a complete one. */
export function failureOf(message: AssistantMessage): Failure | undefined {
  switch (message.stopReason) {
    case "error":
      return {
        kind: "error",
        message: message.errorMessage ?? t("The provider gave no reason."),
        isAboutKey: message.errorKind === "auth",
      };
    case "aborted":
      return { kind: "aborted", message: "" };
    case "length":
      return { kind: "length", message: "" };
    default:
      return undefined;
  }
}

/** Adds a reply's tokens and cost to the answer that it belongs to. */
export function countUsage(fold: Fold, message: AssistantMessage, hasContent: boolean): void {
  const { usage } = message;
  if (!hasContent && usage.totalTokens === 0) return;
  const before: Answer = fold.state.answer ?? {
    model: message.model,
    startedAt: fold.state.runStartedAt,
    inputTokens: 0,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    costUsd: 0,
    cacheNotes: [],
  };
  fold.state.answer = {
    ...before,
    model: message.responseModel ?? message.model,
    inputTokens: before.inputTokens + usage.input + usage.cacheRead + usage.cacheWrite,
    outputTokens: before.outputTokens + usage.output,
    cacheReadTokens: before.cacheReadTokens + usage.cacheRead,
    cacheWriteTokens: before.cacheWriteTokens + usage.cacheWrite,
    costUsd: before.costUsd + usage.cost.total,
    cacheNotes: withNote(before.cacheNotes, message),
  };
  if (usage.totalTokens > 0) fold.state.ui = { ...fold.state.ui, contextTokens: usage.totalTokens };
}

function withNote(notes: readonly string[], { cacheRewrite }: AssistantMessage): readonly string[] {
  if (cacheRewrite === undefined) return notes;
  const note = wordCacheRewrite(cacheRewrite);
  return notes.includes(note) ? notes : [...notes, note];
}

/** Ends the answer: cancels open cards, reports a failure, and adds the footer. */
export function closeAnswer(fold: Fold): void {
  cancelCalls(fold);
  const { failure, answer } = fold.state;
  if (failure) fold.state.offer = addNotice(fold, wordFailure(failure));
  if (failure?.kind === "aborted") fold.state.isStopShown = true;
  if (answer) addFooter(fold, answer);
  fold.state.failure = undefined;
  fold.state.answer = undefined;
  fold.state.references = NO_REFERENCES;
  fold.state.replyItems = [];
  fold.state.waitedMs = 0;
  if (fold.state.waitsSince !== undefined) fold.state.waitsSince = fold.now;
  fold.state.runStartedAt = fold.state.runStartedAt === undefined ? undefined : fold.now;
}

/** Adds a notice; one that offers to go on does so until the user does. */
export function addOffer(fold: Fold, notice: Omit<NoticeItem, "id" | "kind">): void {
  const item = addNotice(fold, notice);
  if (notice.action === undefined || !GOES_ON.has(notice.action.command)) return;
  endOffer(fold);
  fold.state.offer = item;
}

/** Withdraws the offer to go on after a failure, since the user has gone on. */
export function endOffer(fold: Fold): void {
  const { offer } = fold.state;
  if (offer === undefined) return;
  fold.state.offer = undefined;
  const { action, secondAction, ...notice } = offer;
  const left = [action, secondAction].find((one) => one !== undefined && !GOES_ON.has(one.command));
  upsert(fold, { ...notice, ...(left === undefined ? {} : { action: left }) });
}

function tryAgain(): NonNullable<NoticeItem["action"]> {
  return { label: t("Retry"), command: "tiller.tryAgain" };
}

function waitedMs({ state, now }: Fold): number {
  return state.waitedMs + (state.waitsSince === undefined ? 0 : now - state.waitsSince);
}

function addFooter(fold: Fold, answer: Answer): void {
  const cacheNote = answer.cacheNotes.length === 0 ? undefined : answer.cacheNotes.join("\n");
  if (cacheNote !== fold.state.ui.cacheNote) fold.state.ui = { ...fold.state.ui, cacheNote };
  // The time that the user took to answer questions is not the agent's.
  const durationMs = answer.startedAt === undefined ? 0 : fold.now - answer.startedAt - waitedMs(fold);
  upsert(fold, {
    id: takeId(fold),
    kind: "footer",
    model: answer.model,
    ...(durationMs > 0 ? { durationMs } : {}),
    ...(answer.inputTokens > 0 ? { inputTokens: answer.inputTokens } : {}),
    ...(answer.outputTokens > 0 ? { outputTokens: answer.outputTokens } : {}),
    ...(answer.cacheReadTokens > 0 ? { cacheReadTokens: answer.cacheReadTokens } : {}),
    ...(answer.cacheWriteTokens > 0 ? { cacheWriteTokens: answer.cacheWriteTokens } : {}),
    ...(cacheNote === undefined ? {} : { cacheNote }),
    ...(answer.costUsd > 0 ? { costUsd: answer.costUsd } : {}),
    ...shownReferences(fold.state.references, fold.state.cwd),
  });
}

function wordFailure(failure: Failure): Omit<NoticeItem, "id" | "kind"> {
  if (failure.kind === "aborted") return { level: "info", text: t("Stopped") };
  if (failure.kind === "length") {
    return {
      level: "warning",
      text: t("The response reached the model's output limit."),
      action: { label: t("Continue"), command: "tiller.continueRun" },
    };
  }
  const [line = "", ...rest] = failure.message.trim().split("\n");
  const firstLine = /[.!?]$/.test(line) ? line : `${line}.`;
  const shared = { level: "error", ...(rest.length > 0 ? { detail: rest.join("\n").trim() } : {}) } as const;
  if (failure.isAboutKey === true) {
    return {
      ...shared,
      text: t("The provider rejected the API key: {0}", firstLine),
      action: { label: t("Set API Key"), command: "tiller.setApiKey" },
      secondAction: tryAgain(),
    };
  }
  return {
    ...shared,
    text: t("The model didn't respond: {0}", firstLine),
    action: tryAgain(),
    secondAction: { label: t("Select Model"), command: "tiller.pickModel" },
  };
}
