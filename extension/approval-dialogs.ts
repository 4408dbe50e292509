import * as vscode from "vscode";
import type { Approval } from "../webview/protocol/items.ts";
import type { Answer } from "./connection/question-queue.ts";
import { type AnswerPick, answerByPick, answerOf, answerPick, notify } from "./native-input.ts";

/** How a question comes to the user. */
export interface Arrival {
  /** Whether the user has asked to see it. */
  readonly isWanted: boolean;
  /** Whether its card in the chat can be seen. */
  readonly isChatVisible: boolean;
}

const ONCE_BUTTON = "Allow Once";
const DENY_BUTTON = "Deny";
const MORE_BUTTON = "More…";
const SCOPE_LABELS = {
  session: "Allow for this session",
  workspace: "Allow in this workspace",
  always: "Allow always",
} as const;

/**
 * Approvals in the editor's own interface. They come while the user works on something else: one that was not asked for is a notification,
 * which leaves the keyboard where it is, and nothing at all while its card can be seen.
 */
export class ApprovalDialogs {
  /** Whether the user is on the way from quick pick to rule and back, so that what comes next is wanted. */
  #isUnderWay = false;

  /** @param title the whole question, for the notification. */
  async approve(approval: Approval, title: string, arrival: Arrival, signal: AbortSignal): Promise<Answer | undefined> {
    if (!this.#takeWanted(arrival)) {
      if (arrival.isChatVisible) return undefined;
      const chosen = await notify(title.replaceAll("\n", " "), [ONCE_BUTTON, DENY_BUTTON, MORE_BUTTON], signal);
      if (chosen === ONCE_BUTTON) return { type: "value", value: approval.once };
      if (chosen === DENY_BUTTON) return { type: "value", value: approval.deny };
      if (chosen !== MORE_BUTTON || signal.aborted) return undefined;
    }
    const quickPick = vscode.window.createQuickPick<AnswerPick>();
    quickPick.title = `Allow ${approval.toolName}? ${approval.subject}`.trim();
    quickPick.placeholder = approval.reasons.join(" ") || "Choose an answer. Escape puts the question off.";
    quickPick.ignoreFocusOut = true;
    quickPick.matchOnDescription = true;
    quickPick.items = approvalPicks(approval);
    const answer = await answerByPick(quickPick, signal);
    this.#isUnderWay = answer?.type === "value" && answer.value === approval.change;
    return answer;
  }

  /** Asks for the text of a rule. */
  async changeRule(title: string, rule: string, arrival: Arrival, signal: AbortSignal): Promise<Answer | undefined> {
    if (!this.#takeWanted(arrival) && arrival.isChatVisible) return undefined;
    const box = vscode.window.createInputBox();
    box.title = title;
    box.value = rule;
    box.prompt = "The question comes again with the changed rule; nothing is stored yet.";
    box.ignoreFocusOut = true;
    const answer = await answerOf(box, signal, () => ({ type: "value", value: box.value }));
    this.#isUnderWay = answer !== undefined;
    return answer;
  }

  #takeWanted({ isWanted }: Arrival): boolean {
    const isExpected = this.#isUnderWay;
    this.#isUnderWay = false;
    return isWanted || isExpected;
  }
}

function approvalPicks({ once, deny, change, rules }: Approval): AnswerPick[] {
  const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
  const stored = rules.map(({ scope, text, option }) => answerPick(SCOPE_LABELS[scope], option, text));
  return [
    answerPick(once, once),
    ...(stored.length > 0 ? [separator("do not ask again"), ...stored] : []),
    ...(change === undefined ? [] : [answerPick(change, change)]),
    separator(""),
    answerPick(deny, deny),
  ];
}
