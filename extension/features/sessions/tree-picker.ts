import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { goTo } from "../../chat/go-to.ts";
import { type Branch, branchesOf } from "./branches.ts";
import { shortAge } from "./session-words.ts";

/** Maximum length of a line, in UTF-16 units. */
const MAX_LINE_CHARS = 90;

interface BranchPick extends vscode.QuickPickItem {
  readonly branch: Branch;
}

/** Lists the branches of the session that a chat has open, and continues the conversation at the one that is chosen. */
export async function showTree(chat: Chat): Promise<void> {
  const { entries, leafId } = await chat.request("get_entries", {});
  const branches = branchesOf(entries, leafId);
  if (branches.length === 0) {
    void vscode.window.showInformationMessage(t("This session has no messages yet."));
    return;
  }
  const chosen = await pick(branches);
  if (chosen === undefined || chosen.branch.isHere) return;
  const { entryId } = chosen.branch;
  if (chosen.summarize) await goWithSummary(chat, entryId);
  else await goTo(chat, entryId);
}

function pick(branches: readonly Branch[]): Promise<{ branch: Branch; summarize: boolean } | undefined> {
  const list = vscode.window.createQuickPick<BranchPick>();
  const summarise: vscode.QuickInputButton = {
    iconPath: new vscode.ThemeIcon("fold-down"),
    tooltip: t("Switch to this branch and summarize the current one"),
  };
  list.title = t("Session Branches");
  list.placeholder = t("Select where to continue; you keep all branches");
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = branches.map((branch) => itemOf(branch, summarise));
  return new Promise((resolve) => {
    const finish = (item: BranchPick | undefined, summarize: boolean) => {
      resolve(item && { branch: item.branch, summarize });
      list.hide();
    };
    list.onDidAccept(() => finish(list.selectedItems[0], false));
    list.onDidTriggerItemButton(({ item }) => finish(item, true));
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

function itemOf(branch: Branch, summarise: vscode.QuickInputButton): BranchPick {
  const { label, lastPrompt, ownPrompt, messageCount, at, isHere } = branch;
  const title = oneLine(label ?? lastPrompt) || t("(no messages)");
  const facts = [
    isHere ? t("current") : "",
    messageCount === 1 ? t("1 message") : t("{0} messages", messageCount),
    Number.isNaN(at) ? "" : shortAge(at, Date.now()),
  ];
  const details = [
    label === undefined ? "" : oneLine(lastPrompt),
    ownPrompt === "" || ownPrompt === lastPrompt ? "" : t("branched at: {0}", oneLine(ownPrompt)),
  ].filter((text) => text !== "");
  return {
    branch,
    label: `$(${isHere ? "circle-filled" : label === undefined ? "git-branch" : "tag"}) ${title}`,
    description: facts.filter((fact) => fact !== "").join(" · "),
    ...(details.length === 0 ? {} : { detail: details.join(" · ") }),
    buttons: isHere ? [] : [summarise],
  };
}

async function goWithSummary(chat: Chat, entryId: string): Promise<void> {
  const title = t("Summarizing the branch you left…");
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const cancelling = token.onCancellationRequested(() => void chat.request("abort", {}).catch(() => undefined));
      try {
        await goTo(chat, entryId, { summarize: true });
      } finally {
        cancelling.dispose();
      }
    },
  );
}

function oneLine(text: string): string {
  const line = text
    .slice(0, MAX_LINE_CHARS * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS - 1)}…`;
}
