import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { groupRules, type RuleGroup } from "./rule-list.ts";

/** An entry of the list: a rule, or all rules of a scope; without ids a separator. */
interface RulePick extends vscode.QuickPickItem {
  readonly ruleIds: readonly string[];
}

/** Lists the user's approval rules and removes unwanted ones; a removed rule no longer applies from the next call on. */
export async function manageApprovalRules(chat: Chat): Promise<void> {
  const groups = await readRules(chat);
  if (groups.length === 0) {
    const text = t(
      "There are no approval rules. To add one, select This Session, This Workspace, or Always when the agent asks for approval.",
    );
    void vscode.window.showInformationMessage(text);
    return;
  }
  const list = vscode.window.createQuickPick<RulePick>();
  list.title = t("Approval Rules");
  list.placeholder = t("Select a rule to remove it, so that the agent asks again");
  list.matchOnDescription = true;
  list.items = groups.flatMap(picksOf);
  const remove = (ruleIds: readonly string[]) => void removeRules(chat, list, ruleIds);
  list.onDidTriggerItemButton(({ item }) => remove(item.ruleIds));
  list.onDidAccept(() => {
    const [item] = list.selectedItems;
    if (item !== undefined) void confirmRemoval(item).then((isSure) => isSure && remove(item.ruleIds));
  });
  list.ignoreFocusOut = true;
  await new Promise<void>((resolve) => {
    list.onDidHide(() => {
      list.dispose();
      resolve();
    });
    list.show();
  });
}

async function removeRules(chat: Chat, list: vscode.QuickPick<RulePick>, ruleIds: readonly string[]): Promise<void> {
  list.busy = true;
  try {
    for (const ruleId of ruleIds) await chat.request("remove_approval_rule", { ruleId });
  } catch (error) {
    void vscode.window.showErrorMessage(errorMessage(error));
  }
  const groups = await readRules(chat).catch(() => []);
  list.busy = false;
  if (groups.length === 0) list.hide();
  else list.items = groups.flatMap(picksOf);
}

async function readRules(chat: Chat): Promise<RuleGroup[]> {
  const { rules } = await chat.request("get_approval_rules", {});
  return groupRules(rules, Date.now());
}

function picksOf({ title, rules }: RuleGroup): RulePick[] {
  const all: RulePick = { label: t("$(trash) Remove All ({0})", title), ruleIds: rules.map(({ id }) => id) };
  const buttons = [{ iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Remove Rule") }];
  return [
    { label: title, kind: vscode.QuickPickItemKind.Separator, ruleIds: [] },
    ...rules.map(({ id, text, use }) => ({ label: text, description: use, buttons, ruleIds: [id] })),
    ...(rules.length > 1 ? [all] : []),
  ];
}

/** Confirms a removal. A click on the trash is intended; Enter may have been pressed to look at a rule. */
async function confirmRemoval({ label, ruleIds }: RulePick): Promise<boolean> {
  const text = ruleIds.length === 1 ? t('Remove the rule "{0}"?', label) : t("Remove {0} rules?", ruleIds.length);
  const detail = t("The agent asks again from its next tool call.");
  const remove = t("Remove");
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, remove)) === remove;
}
