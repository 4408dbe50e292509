import { t } from "../../../webview/l10n.ts";
import { endOffer } from "./fold-answer.ts";
import { addNotice, type Fold, type HostAction, type NoticeItem, upsert } from "./transcript-state.ts";

type CrashAction = Extract<HostAction, { type: "host_crashed" }>;

/** Shows that the agent has crashed. Until it runs again, further crashes change the same notice. @param endEverything ends what is open. */
export function foldCrash(
  fold: Fold,
  { text, reason, detail }: CrashAction,
  endEverything: (fold: Fold) => void,
): void {
  const { runStartedAt, offer, crash: before, ui } = fold.state;
  const isOffered = offer?.action?.command === "tiller.continueRun";
  const hasCutRun = (runStartedAt !== undefined && ui.status !== "stopping") || isOffered || before?.hasCutRun === true;
  endEverything(fold);
  endOffer(fold);
  const notice = {
    level: "error",
    text,
    ...(detail ? { detail } : {}),
    action: { label: t("Restart Agent"), command: "tiller.restartAgent" },
    secondAction: copyReport(),
  } as const;
  const item =
    before === undefined ? addNotice(fold, notice) : { ...notice, id: before.item.id, kind: "notice" as const };
  if (before !== undefined) upsert(fold, item);
  fold.state.crash = { item, reason: reason ?? before?.reason, detail: detail || before?.detail, hasCutRun };
}

/** Shows that the agent runs again, and offers to continue the run that the crash has cut off. */
export function foldRestart(fold: Fold): void {
  const { crash } = fold.state;
  if (crash === undefined) return;
  const { reason, hasCutRun } = crash;
  const detail = [reason, crash.detail].filter((part) => part !== undefined && part !== "").join("\n");
  const item: NoticeItem = {
    id: crash.item.id,
    kind: "notice",
    level: hasCutRun ? "warning" : "info",
    text: reason === undefined ? t("The agent is running again.") : t("The agent crashed and was restarted."),
    ...(detail === "" ? {} : { detail }),
    ...(hasCutRun
      ? { action: { label: t("Continue"), command: "tiller.continueRun" }, secondAction: copyReport() }
      : { action: copyReport() }),
  };
  upsert(fold, item);
  fold.state.crash = undefined;
  if (hasCutRun) fold.state.offer = item;
}

function copyReport(): NonNullable<NoticeItem["action"]> {
  return { label: t("Copy Report"), command: "tiller.copyReport" };
}
