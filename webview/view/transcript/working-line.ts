import { t } from "../../l10n.ts";
import type { TranscriptItem } from "../../protocol/items.ts";
import type { PanelUi } from "../../protocol/ui.ts";
import { createSpinner } from "../common/controls.ts";
import { duration, el, setText } from "../common/dom.ts";
import { hostNow } from "../common/host-clock.ts";

/** Shorter work shows no time. */
const MIN_SHOWN_MS = 3_000;

/** The line below the conversation: what the agent is at, and for how long. */
export interface WorkingLine {
  readonly element: HTMLElement;
  show(ui: PanelUi, items: readonly TranscriptItem[]): void;
}

export function createWorkingLine(): WorkingLine {
  const words = el("span", "working-words");
  const time = el("span", "working-time");
  const key = el("kbd", "", { title: t("Go to a pending question") }, [t("Alt+A")]);
  const element = el("div", "working", {}, [createSpinner(), words, " ", time]);
  let timer: ReturnType<typeof setInterval> | undefined;
  let since: number | undefined;

  function tick(): void {
    const ms = since === undefined ? 0 : hostNow() - since;
    setText(time, ms < MIN_SHOWN_MS ? "" : duration(Math.floor(ms / 1_000) * 1_000));
  }
  return {
    element,
    show(ui, items) {
      const isAsking = items.some((item) => item.kind === "question" && item.state === "pending");
      const text = wordWork(ui, isAsking, items.at(-1));
      element.hidden = text === "";
      const waits = isAsking && ui.status === "running";
      element.classList.toggle("is-asking", waits);
      if (waits) element.append(key);
      else key.remove();
      setText(words, text);
      // A replay happened at another time.
      since = waits || text === "" || ui.isReadOnly === true ? undefined : ui.runningSince;
      clearInterval(timer);
      tick();
      if (since !== undefined) timer = setInterval(tick, 1_000);
    },
  };
}

function wordWork({ status, work }: PanelUi, isAsking: boolean, last: TranscriptItem | undefined): string {
  if (status === "starting") return t("Starting the agent…");
  if (status === "stopping") return t("Stopping…");
  if (status !== "running") return "";
  if (isAsking) return t("Waiting for your answer");
  // That row has its own spinner and more details.
  return last?.kind === "activity" && last.isRunning ? "" : (work ?? t("Working…"));
}
