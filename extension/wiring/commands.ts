import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import { t } from "../../webview/l10n.ts";
import { manageMcpServers } from "../chat/mcp-servers.ts";
import type { PlanEditor } from "../chat/plan-editor.ts";
import { answerProposal } from "../features/approvals/answer-proposal.ts";
import { showApprovalLog } from "../features/approvals/approval-log.ts";
import { manageApprovalRules } from "../features/approvals/approval-rules.ts";
import type { Previews } from "../features/code-blocks/previews.ts";
import type { FollowAgent } from "../features/follow/follow-agent.ts";
import type { ApiKey } from "../features/models/api-key.ts";
import { ModelSetup } from "../features/models/model-setup.ts";
import { openModelsFile } from "../features/models/models-file.ts";
import { pickModel } from "../features/models/pick-model.ts";
import { pickPermissionMode, pickThinkingLevel } from "../features/models/pickers.ts";
import type { RecentModels } from "../features/models/recent-models.ts";
import { planCommands } from "../features/plan/plan-commands.ts";
import { branchCommands } from "../features/sessions/branch-commands.ts";
import { chatCommands } from "../features/sessions/chat-commands.ts";
import { conversationCommands } from "../features/sessions/conversation-commands.ts";
import { restartAgent } from "../features/sessions/keep-chat.ts";
import { sessionCommands } from "../features/sessions/session-commands.ts";
import type { SessionHistory } from "../features/sessions/session-history.ts";
import type { SessionTree } from "../features/sessions/session-tree.ts";
import { showStatusMenu } from "../features/status/status-menu.ts";
import type { Highlight } from "../host/host-tools/editor/highlight.ts";
import type { HostToolSet } from "../host/host-tools/host-tool-set.ts";
import { manageHostTools } from "../host/host-tools/manage-tools.ts";
import type { Proposals } from "../host/proposals/proposals.ts";
import { showQuestion } from "../host/questions/dialogs.ts";
import type { EditorQuestions } from "../host/questions/editor-questions.ts";
import type { Chats } from "../window/chats.ts";
import { raiseCostLimit } from "../window/cost-limit.ts";

interface CommandServices {
  readonly chats: Chats;
  readonly history: SessionHistory;
  readonly tree: SessionTree;
  readonly previews: Previews;
  readonly proposals: Proposals;
  readonly apiKey: ApiKey;
  readonly recentModels: RecentModels;
  readonly editors: EditorQuestions;
  readonly hostTools: HostToolSet;
  readonly follow: FollowAgent;
  readonly highlight: Highlight;
  readonly log: vscode.LogOutputChannel;
}

/** Registers the commands of the extension; failures are shown to the user. */
export function registerCommands(services: CommandServices): vscode.Disposable[] {
  const { chats, history, tree, previews, proposals, apiKey, recentModels, editors, hostTools } = services;
  const { follow, highlight, log } = services;
  const modelSetup = new ModelSetup(chats, apiKey, recentModels);
  const commands: Record<string, (argument: unknown) => unknown> = {
    ...chatCommands(chats),
    ...sessionCommands({ chats, history, tree, log }),
    ...branchCommands(chats),
    ...conversationCommands(chats),
    ...planCommands(chats, editors),
    "tiller.stop": () => chats.focused.stop(),
    "tiller.pickModel": () =>
      pickModel(chats.focused, recentModels, {
        setKey: (provider) => apiKey.ask(provider),
        editFile: () => openModelsFile(chats.focused.session.folder),
      }),
    "tiller.editModels": () => openModelsFile(chats.focused.session.folder),
    "tiller.pickThinkingLevel": () => pickThinkingLevel(chats.focused),
    "tiller.pickPermissionMode": () => pickPermissionMode(chats.focused),
    "tiller.clearHighlight": () => highlight.clear(),
    "tiller.followAgent": () => follow.toggle(),
    "tiller.manageHostTools": () => manageHostTools(hostTools),
    "tiller.manageApprovalRules": () => manageApprovalRules(chats.focused),
    "tiller.showApprovalLog": () => showApprovalLog(chats.focused),
    "tiller.manageMcpServers": (signInTo) =>
      manageMcpServers(chats.focused, typeof signInTo === "string" ? signInTo : undefined),
    "tiller.addTask": () => addTask(chats.focused.plan),
    "tiller.setUpModel": () => modelSetup.run(),
    "tiller.setApiKey": () => apiKey.ask(),
    "tiller.raiseCostLimit": () => raiseCostLimit(chats.focused),
    "tiller.removeApiKey": () => apiKey.remove(),
    "tiller.restartAgent": () => restartAgent(chats.focused),
    "tiller.showLog": () => log.show(true),
    "tiller.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:tiller-dev.tiller"),
    "tiller.openWalkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "tiller-dev.tiller#tiller.start", false),
    "tiller.showMenu": () => showStatusMenu(chats),
    "tiller.manageTrust": () => vscode.commands.executeCommand("workbench.trust.manage"),
    "tiller.openFolder": () => vscode.commands.executeCommand("workbench.action.files.openFolder"),
    "tiller.answerQuestion": () => answerQuestion(chats, editors),
    "tiller.applyPreview": (uri) => previews.apply(uri instanceof vscode.Uri ? uri : undefined),
    "tiller.allowProposal": (uri) => answerProposal("once", uri, proposals, chats),
    "tiller.denyProposal": (uri) => answerProposal("deny", uri, proposals, chats),
    "tiller.submitEditor": (uri) => editors.submit(uri instanceof vscode.Uri ? uri : undefined),
    "tiller.cancelEditor": (uri) => editors.cancel(uri instanceof vscode.Uri ? uri : undefined),
  };
  return Object.entries(commands).map(([id, run]) =>
    vscode.commands.registerCommand(id, async (argument: unknown) => {
      try {
        await run(argument);
      } catch (error) {
        log.error(`${id} failed: ${errorMessage(error)}`);
        void vscode.window.showErrorMessage(errorMessage(error));
      }
    }),
  );
}

async function addTask(plan: PlanEditor): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: t("Add Task to Plan"),
    prompt: t("The agent sees the task in its plan and works on it"),
  });
  if (text !== undefined && text.trim() !== "") await plan.edit({ op: "add", text: text.trim() });
}

/** Shows the pending question, or lets the user choose if there are several, in any chat. */
async function answerQuestion(chats: Chats, editors: EditorQuestions): Promise<void> {
  const { pending } = chats.hub;
  const [first] = pending;
  if (first === undefined) {
    void vscode.window.showInformationMessage(t("No question needs your answer."));
    return;
  }
  if (pending.length === 1) {
    await showQuestion(first.chat.questions, first.request.id, editors);
    return;
  }
  const items = pending.map(({ chat, request }) => ({
    label: request.title,
    description: chats.titleOf(chat),
    show: () => showQuestion(chat.questions, request.id, editors),
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: t("Select a Question to Answer") });
  await chosen?.show();
}
