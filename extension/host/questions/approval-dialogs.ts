import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { sandboxOffer } from "../../../webview/protocol/approval-words.ts";
import type { Approval } from "../../../webview/protocol/items.ts";
import type { Answer } from "../../core/connection/question-queue.ts";
import { type AnswerPick, answerByPick, answerOf, answerPick, notify } from "./native-input.ts";

/** The circumstances in which a question is shown. */
export interface Arrival {
  /** True when the user asked to see it. */
  readonly isWanted: boolean;
  /** True if the keyboard focus is in a chat, or was in a question that has just been answered, and the user is not typing. */
  readonly isFree: boolean;
  /** True if the user has just answered another question, so that no message is being typed. */
  readonly isAnswering: boolean;
  /** True when its card in the chat is visible. */
  readonly isChatVisible: boolean;
  /** Returns true when it may be shown as a notification, which it must be then: at most one call returns true. */
  mayNotify(): boolean;
  /** Brings the chat with its card to the front. */
  showChat(): Promise<void>;
}

function scopeLabel(scope: Approval["rules"][number]["scope"]): string {
  return {
    session: t("Allow in This Session"),
    workspace: t("Allow in This Workspace"),
    always: t("Always Allow"),
  }[scope];
}

/**
 * Approvals in the editor's own interface. The user may be working on something else, so an approval that they did not ask for is shown as a
 * notification, which does not take the focus, and not at all while its card is visible.
 */
export class ApprovalDialogs {
  /** True while the user goes from the quick pick to a rule and back, so that the next question is wanted. */
  #isUnderWay = false;

  async approve(approval: Approval, arrival: Arrival, signal: AbortSignal): Promise<Answer | undefined> {
    if (!this.#takeWanted(arrival)) {
      return arrival.mayNotify() ? notifyOf(approval, arrival, signal) : undefined;
    }
    const quickPick = vscode.window.createQuickPick<AnswerPick>();
    quickPick.title = wordQuestion(approval);
    const warnings = [...(approval.dangers ?? []), ...approval.reasons].join(". ");
    quickPick.placeholder = warnings || t("Select an answer, or press Escape to answer later");
    quickPick.ignoreFocusOut = true;
    quickPick.matchOnDescription = true;
    quickPick.items = approvalPicks(approval);
    const answering = answerByPick(quickPick, signal, true);
    // Nothing is preselected where a careless Enter could do harm.
    if (approval.dangers !== undefined) quickPick.activeItems = [];
    const answer = await answering;
    this.#isUnderWay = answer?.type === "value" && [approval.change, approval.tryOut].includes(answer.value);
    return answer;
  }

  /** Asks for the text of a rule. */
  async changeRule(title: string, rule: string, arrival: Arrival, signal: AbortSignal): Promise<Answer | undefined> {
    if (!this.#takeWanted(arrival) && arrival.isChatVisible) return undefined;
    const box = vscode.window.createInputBox();
    box.title = title;
    box.value = rule;
    box.prompt = t("You'll be asked again with the edited rule before it's saved");
    box.ignoreFocusOut = true;
    const answer = await answerOf(box, signal, true, () => ({ type: "value", value: box.value }));
    this.#isUnderWay = answer !== undefined;
    return answer;
  }

  #takeWanted({ isWanted }: Arrival): boolean {
    const isExpected = this.#isUnderWay;
    this.#isUnderWay = false;
    return isWanted || isExpected;
  }
}

/** Asks in a notification, which does not take the keyboard focus. */
async function notifyOf(approval: Approval, arrival: Arrival, signal: AbortSignal): Promise<Answer | undefined> {
  const [once, deny, show] = [t("Allow Once"), t("Deny"), t("Show Chat")];
  const { dangers = [], reasons } = approval;
  const text = [...dangers.map((danger) => `${danger}.`), wordQuestion(approval), ...reasons].join(" ");
  // The first button is the one that stands out.
  const chosen = await notify(text, dangers.length > 0 ? [show, deny, once] : [once, deny, show], signal);
  if (chosen === once) return { type: "value", value: approval.once };
  if (chosen === deny) return { type: "value", value: approval.deny };
  if (chosen === show) await arrival.showChat();
  return undefined;
}

function wordQuestion({ toolName, subject }: Approval): string {
  return t("Allow {0}? {1}", toolName, subject).trim();
}

function approvalPicks({ once, deny, change, rules, sandbox, tryOut, apply }: Approval): AnswerPick[] {
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const stored = rules.map(({ scope, text, covers = "", option }) => ({
    ...answerPick(scopeLabel(scope), option, text),
    detail: covers,
  }));
  return [
    ...(apply === undefined ? [] : [answerPick(t("Apply Changes"), apply)]),
    answerPick(t("Allow Once"), once),
    ...(tryOut === undefined ? [] : [answerPick(t("Preview"), tryOut, t("shows what the command would change"))]),
    ...(stored.length > 0 ? [separator(t("don't ask again")), ...stored] : []),
    ...(change === undefined ? [] : [answerPick(t("Edit Rule…"), change)]),
    ...(sandbox === undefined ? [] : [{ ...answerPick(t("Use the Sandbox"), sandbox), detail: sandboxOffer() }]),
    separator(""),
    answerPick(t("Deny"), deny),
  ];
}
