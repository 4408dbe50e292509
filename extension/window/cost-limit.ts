import * as vscode from "vscode";
import { formatDollars, t } from "../../webview/l10n.ts";
import type { Chat } from "../chat/chat.ts";
import { type PassedLimit, wordPassedLimit } from "../chat/session-usage.ts";

/** Asks in a notification whether the session may cost more. */
export async function askAboutCost(chat: Chat, limit: PassedLimit): Promise<void> {
  const more = t("Raise Limit and Continue…");
  const chosen = await vscode.window.showWarningMessage(wordPassedLimit(limit), more, t("Stop"));
  if (chosen === more) await raiseCostLimit(chat);
}

/** Asks the user for a higher limit for this session, and continues a stopped run. */
export async function raiseCostLimit(chat: Chat): Promise<void> {
  const { costUsd, limitUsd } = chat.usage;
  const text = await vscode.window.showInputBox({
    title: t("Session Cost Limit"),
    prompt: t("The new limit in US dollars, for this session only (cost so far: {0})", formatDollars(costUsd)),
    value: String(Math.ceil(Math.max(costUsd, limitUsd) * 200) / 100),
    validateInput: (value) =>
      Number(value) > costUsd ? undefined : t("Enter an amount greater than {0}.", costUsd.toFixed(2)),
  });
  if (text === undefined) return;
  const wasStopped = chat.usage.wasStopped;
  chat.usage.raiseLimit(Number(text));
  if (wasStopped) await chat.prompt({ text: "Continue.", delivery: "followUp" });
}
