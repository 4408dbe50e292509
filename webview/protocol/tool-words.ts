import { t } from "../l10n.ts";
import type { ToolItem, ToolState } from "./items.ts";

/** The state of a call in words. */
export function wordState(state: ToolState): string {
  return {
    preparing: t("preparing"),
    queued: t("queued"),
    waiting: t("needs your answer"),
    running: t("running"),
    done: t("done"),
    failed: t("failed"),
    denied: t("denied"),
    cancelled: t("canceled"),
  }[state];
}

type CallFacts = Pick<ToolItem, "toolName" | "phrase" | "intent">;

/** Splits what a call does into the words before its object, the object, and the words after it. */
export function callWords({ toolName, phrase = `${toolName} {0}`, intent }: CallFacts): [string, string, string] {
  if (intent === "") return [phrase.replace(/\s*[:：]?\s*\{0\}/, ""), "", ""];
  const [before = "", after = ""] = phrase.split("{0}");
  return [before.trim(), phrase.includes("{0}") ? intent : "", after.trim()];
}

/** Returns what a call does as one text, such as "Read src/a.ts". */
export function wordCall(item: CallFacts): string {
  const [before, object, after] = callWords(item);
  return `${before} ${object}${after.startsWith("…") ? "" : " "}${after}`.trim();
}
