import { formatDollars, t } from "../../../webview/l10n.ts";
import { type AgentStatus, type ChatStatus, isAtWork, type PanelUi } from "../../../webview/protocol/ui.ts";

/** A question that waits for the user; its texts are written by the agent. */
export interface WaitingQuestion {
  readonly chatTitle: string;
  readonly title: string;
}

/** A chat other than the focused one. */
export interface OtherChat {
  readonly title: string;
  readonly state: ChatStatus;
}

/** The data that the status bar shows. */
export interface StatusFacts {
  /** The UI state of the focused chat. */
  readonly ui: PanelUi;
  readonly title: string;
  /** The questions of all chats, the oldest of each first. */
  readonly waiting: readonly WaitingQuestion[];
  readonly others: readonly OtherChat[];
}

/** The appearance of the item. `icon` is a codicon; `text` has no icons in it. */
export interface StatusFace {
  readonly icon: string;
  readonly text: string;
  readonly background: "warning" | "error" | undefined;
}

/** Returns the appearance of the item: pending questions first, then the state of the focused chat. */
export function statusFace({ ui, waiting, others }: StatusFacts): StatusFace {
  const queued = ui.steering.length + ui.followUp.length;
  const elsewhere = others.filter(({ state }) => isAtWork(state)).length;
  const { icon, text } =
    waiting.length > 0 ? { icon: "bell-dot", text: waitingText(waiting.length) } : faceOf(ui.status);
  const counts = [
    ...(queued > 0 ? [t("{0} queued", queued)] : []),
    ...(elsewhere > 0 ? [t("{0} in background", elsewhere)] : []),
  ];
  const background = waiting.length > 0 ? "warning" : ui.status === "crashed" ? "error" : undefined;
  return { icon, text: [text, ...counts].join(" · "), background };
}

/** Returns the rows of the tooltip as name and value. Texts may contain anything. */
export function tooltipRows({
  ui,
  title,
  waiting,
  others,
}: StatusFacts): { readonly name: string; readonly value: string }[] {
  const queued = ui.steering.length + ui.followUp.length;
  const running = others.filter(({ state }) => isAtWork(state)).length;
  const rows = [
    { name: t("Chat"), value: title },
    { name: t("Model"), value: ui.modelLabel },
    { name: t("Permission mode"), value: ui.mode.label === "" ? "" : `${ui.mode.label}. ${ui.mode.hint}` },
    { name: t("Cost"), value: costText(ui) },
    { name: t("Waiting for your answer"), value: waiting.length > 0 ? String(waiting.length) : "" },
    { name: t("Queued messages"), value: queued > 0 ? String(queued) : "" },
    { name: t("Other chats running"), value: running > 0 ? String(running) : "" },
    ...ui.statuses.map(({ key, text }) => ({ name: key, value: text })),
  ];
  return rows.filter(({ value }) => value !== "");
}

function waitingText(count: number): string {
  return count === 1 ? t("Tiller needs your answer") : t("Tiller needs your answer ({0})", count);
}

function costText({ costUsd, costLimitUsd }: PanelUi): string {
  if (costUsd === undefined) return "";
  const cost = formatDollars(costUsd);
  return costLimitUsd === undefined ? cost : t("{0} of {1}", cost, formatDollars(costLimitUsd));
}

function faceOf(status: AgentStatus): { readonly icon: string; readonly text: string } {
  switch (status) {
    case "untrusted":
      return { icon: "workspace-untrusted", text: t("Tiller: not trusted") };
    case "noFolder":
      return { icon: "circle-slash", text: t("Tiller: no folder") };
    case "stopped":
      return { icon: "circle-outline", text: "Tiller" };
    case "starting":
      return { icon: "loading~spin", text: t("Tiller: starting") };
    case "idle":
      return { icon: "circle-filled", text: "Tiller" };
    case "running":
      return { icon: "loading~spin", text: t("Tiller: running") };
    case "stopping":
      return { icon: "loading~spin", text: t("Tiller: stopping") };
    case "crashed":
      return { icon: "error", text: t("Tiller: crashed") };
  }
}
