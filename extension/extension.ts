import * as vscode from "vscode";
import { errorMessage } from "../agent/protocol/errors.ts";
import { useCatalogue } from "../webview/l10n.ts";
import { ApiKey } from "./api-key.ts";
import type { Chat } from "./chat.ts";
import { showPanelSettings } from "./chats/chat-factory.ts";
import type { ChatHub } from "./chats/chat-hub.ts";
import { Chats } from "./chats/chats.ts";
import { FileFinder } from "./code-actions/file-finder.ts";
import { Previews } from "./code-actions/previews.ts";
import { registerCommands } from "./commands.ts";
import { Mentions } from "./composer/mentions.ts";
import { PromptHistory } from "./composer/prompt-history.ts";
import { EditorQuestions } from "./editor-questions.ts";
import { createHostTools } from "./host-tools/registry.ts";
import { RecentModels } from "./models/recent-models.ts";
import { ChatTabs } from "./panel/chat-tabs.ts";
import { handlePanelMessage } from "./panel/panel-actions.ts";
import { PanelProvider } from "./panel/panel-provider.ts";
import { ToolDocuments } from "./panel/tool-documents.ts";
import { SessionHistory } from "./sessions/session-history.ts";
import { SessionTree } from "./sessions/session-tree.ts";
import { isAffected, LAUNCH_SETTINGS, readSetting } from "./settings.ts";
import { StatusBar } from "./status-bar.ts";

/** What other extensions, and tests, may ask of this one. */
export interface TillerExports {
  /** The process id of the running agent of the chat that the user is in. */
  agentPid(): number | undefined;
}

/** What has to be ended in order, which the editor does not do with subscriptions. */
let running: { hub: ChatHub; log: vscode.LogOutputChannel } | undefined;

/** Wires the parts. No agent is started, and nothing of the agent loaded, before the view is opened or a command needs it. */
export function activate(context: vscode.ExtensionContext): TillerExports {
  if (vscode.l10n.bundle !== undefined) useCatalogue(vscode.l10n.bundle, vscode.env.language);
  const { subscriptions } = context;
  const log = vscode.window.createOutputChannel("Tiller", { log: true });
  const editors = new EditorQuestions((error) => log.warn(`An answer could not be closed: ${errorMessage(error)}`));
  const statusBar = new StatusBar();
  const toolDocuments = new ToolDocuments(() => chats.hub.chats);
  const previews = new Previews();
  const finder = new FileFinder();
  const mentions = new Mentions((error) => log.warn(`The files could not be listed: ${errorMessage(error)}`));
  const promptHistory = new PromptHistory(context.workspaceState);
  const chats: Chats = new Chats({
    context,
    editors,
    hostTools: createHostTools(subscriptions, { allowedCommands: () => readSetting("hostTools.allowedCommands") }),
    log,
    received: (message, page) => handlePanelMessage(message, page, services),
  });
  const services = { chats, editors, mentions, toolDocuments, previews, finder, promptHistory, log };
  running = { hub: chats.hub, log };
  const apiKey = new ApiKey(context.secrets, {
    get focused() {
      return chats.focused;
    },
    restart: () => restartAll(chats),
  });
  const recentModels = new RecentModels(context.globalState);
  const history = new SessionHistory(chats.hub);
  const tree = new SessionTree(history, chats, log);
  showStatus(chats, statusBar);
  subscriptions.push(
    editors,
    mentions,
    statusBar,
    toolDocuments,
    previews,
    tree,
    chats.onDidChange(() => showStatus(chats, statusBar)),
    vscode.window.registerWebviewViewProvider(PanelProvider.viewId, chats.side, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.window.registerWebviewPanelSerializer(ChatTabs.viewType, chats.tabs),
    vscode.workspace.onDidGrantWorkspaceTrust(() => wakeVisible(chats)),
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(event, chats.hub)),
    ...registerCommands({ chats, history, tree, previews, apiKey, recentModels, editors, log }),
  );
  return { agentPid: () => chats.focused.agent.pid };
}

/** Ends the agents, then the log that they write to; the editor waits for the promise, within limits of its own. */
export async function deactivate(): Promise<void> {
  await running?.hub.dispose();
  running?.log.dispose();
}

function showStatus({ focused, hub }: Chats, statusBar: StatusBar): void {
  const { ui } = focused.transcript;
  const elsewhere = hub.chats.filter((chat) => chat !== focused && chat.transcript.ui.status === "running");
  statusBar.show(ui, { pendingQuestions: hub.pendingQuestions, runningElsewhere: elsewhere.length });
  void vscode.commands.executeCommand("setContext", "tiller.isRunning", ui.status === "running");
}

function wakeVisible({ hub, focused }: Chats): void {
  for (const chat of new Set([focused, ...hub.chats.filter((open) => hub.isVisible(open))])) chat.wake();
}

/** Those that do not run take what has changed when they start. */
async function restartAll({ hub, focused }: Chats): Promise<void> {
  const affected = hub.chats.filter((chat) => chat === focused || chat.agent.client !== undefined);
  await Promise.all(affected.map((chat) => chat.restart()));
}

function settingsChanged(event: vscode.ConfigurationChangeEvent, { chats }: ChatHub): void {
  if (isAffected(event, ["sendOnEnter", "whileRunning", "density", "maxImageBytes"]))
    for (const chat of chats) showPanelSettings(chat);
  if (isAffected(event, ["permissionMode"])) {
    for (const chat of chats) {
      chat.followModeSetting().catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error)));
    }
  }
  if (!isAffected(event, LAUNCH_SETTINGS)) return;
  // The change may be what the agent could not be started without.
  for (const chat of chats.filter(({ transcript }) => transcript.ui.status === "crashed")) chat.wake();
  const started = chats.filter((chat) => chat.agent.client !== undefined);
  // Where nothing has been said yet, nothing is broken off.
  for (const chat of started.filter(({ isUntouched }) => isUntouched)) void chat.restart();
  const used = started.filter(({ isUntouched }) => !isUntouched);
  if (used.length > 0) void offerRestart(used);
}

/** A restart breaks off what runs, so it is the user's to choose the moment. */
async function offerRestart(chats: readonly Chat[]): Promise<void> {
  const restart = chats.length === 1 ? "Restart Agent" : "Restart Agents";
  const chosen = await vscode.window.showInformationMessage(
    "The changed setting takes effect when the agent restarts.",
    restart,
  );
  if (chosen === restart) await Promise.all(chats.map((chat) => chat.restart()));
}
