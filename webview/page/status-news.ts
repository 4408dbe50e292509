import { formatNumber, t } from "../l10n.ts";
import type { TranscriptItem } from "../protocol/items.ts";
import type { PanelUi } from "../protocol/ui.ts";
import type { Announcer } from "./announcer.ts";

/** Chinese and Japanese have no spaces between words: there, each character counts. */
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[^\s\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

/** Tells those who listen to the page that its agent works, is done or has stopped. */
export function announceStatus(
  ui: PanelUi,
  before: PanelUi,
  items: readonly TranscriptItem[],
  announcer: Announcer,
): void {
  if (ui.status === "running" && before.status !== "stopping") announcer.say(t("Tiller is working"), "polite");
  if (ui.status === "crashed") announcer.say(t("The agent stopped unexpectedly"), "polite");
  if (ui.status !== "idle" || (before.status !== "running" && before.status !== "stopping")) return;
  const words = wordsOfLastAnswer(items);
  const ready = words === 1 ? t("Response ready, 1 word") : t("Response ready, {0} words", formatNumber(words));
  announcer.say(before.status === "stopping" ? t("Stopped") : ready, "polite");
}

function wordsOfLastAnswer(items: readonly TranscriptItem[]): number {
  const prompt = items.findLastIndex((item) => item.kind === "prompt");
  let words = 0;
  for (const item of items.slice(prompt + 1)) {
    if (item.kind === "text") words += item.text.match(WORD)?.length ?? 0;
  }
  return words;
}
