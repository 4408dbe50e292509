import * as vscode from "vscode";
import type { LoggedDecision } from "../../../agent/protocol/approvals.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { decisionWords } from "./decision-words.ts";
import { ago } from "./rule-list.ts";

const MAX_DECISIONS = 2000;

/** Lists what was allowed and denied in all sessions, the newest first. The user can filter the list and look at an entry. */
export async function showApprovalLog(chat: Chat): Promise<void> {
  const { decisions } = await chat.request("get_approval_log", { limit: MAX_DECISIONS });
  if (decisions.length === 0) {
    void vscode.window.showInformationMessage(t("Nothing has been allowed or denied yet."));
    return;
  }
  const now = Date.now();
  const chosen = await vscode.window.showQuickPick(
    decisions.map((decision) => ({
      label: `$(${iconOf(decision)}) ${plain(decision.what)}`,
      description: decision.tool,
      detail: [decisionWords(decision), ago(now - Date.parse(decision.time)), decision.workspace].join(" · "),
      decision,
    })),
    {
      title: t("What Was Allowed"),
      placeHolder: t("Filter by command, file, rule, or workspace"),
      matchOnDescription: true,
      matchOnDetail: true,
    },
  );
  if (chosen !== undefined) await showDecision(chosen.decision);
}

async function showDecision(decision: LoggedDecision): Promise<void> {
  const { tool, what, time, workspace } = decision;
  const detail = [decisionWords(decision), new Date(time).toLocaleString(), workspace].join("\n");
  const [copy, manage] = [t("Copy"), t("Manage Approval Rules")];
  const options = { modal: true, detail };
  const answer = await vscode.window.showInformationMessage(`${tool}: ${what}`, options, copy, manage);
  if (answer === copy) await vscode.env.clipboard.writeText(what);
  if (answer === manage) await vscode.commands.executeCommand("tiller.manageApprovalRules");
}

function iconOf({ decision, isContained }: LoggedDecision): string {
  if (decision === "denied") return "circle-slash";
  return isContained === true ? "lock" : "check";
}

/** Returns a text in which `$(…)` is no icon. */
function plain(text: string): string {
  return text.replace(/\$\(/g, "$\u200b(");
}
