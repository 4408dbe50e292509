import "./load-start.ts"; // first, so that it runs first
import * as vscode from "vscode";
import type { TillerExports } from "../agent/client/vscode-api.ts";
import { errorMessage } from "../agent/protocol/errors.ts";
import { useCatalogue } from "../webview/l10n.ts";
import { createApi } from "./api/create-api.ts";
import { ApiKey } from "./api-key.ts";
import { ChangeTracker } from "./changes/change-tracker.ts";
import { registerReview } from "./changes/review.ts";
import { areFontsAffected } from "./chat-fonts.ts";
import { showPanelSettings } from "./chats/chat-factory.ts";
import type { ChatHub } from "./chats/chat-hub.ts";
import { Chats } from "./chats/chats.ts";
import { FileFinder } from "./code-actions/file-finder.ts";
import { Previews } from "./code-actions/previews.ts";
import { registerCommands } from "./commands.ts";
import { Mentions } from "./composer/mentions.ts";
import { PromptHistory } from "./composer/prompt-history.ts";
import { Suggestions } from "./composer/suggestions.ts";
import { registerDoors } from "./doors.ts";
import { EditorQuestions } from "./editor-questions.ts";
import { FollowAgent } from "./follow/follow-agent.ts";
import { createHostTools } from "./host-tools/all-tools.ts";
import { Highlight } from "./host-tools/editor/highlight.ts";
import { LmToolWatch } from "./host-tools/lm/lm-tool-watch.ts";
import { NeedWatch } from "./host-tools/need-watch.ts";
import { ToolShelf } from "./host-tools/tool-shelf.ts";
import { KnownSecrets } from "./known-secrets.ts";
import { launchChanged } from "./launch-change.ts";
import { LOAD_STARTED_AT } from "./load-start.ts";
import { watchModelsFile } from "./models/models-file.ts";
import { RecentModels } from "./models/recent-models.ts";
import { ChatTabs } from "./panel/chat-tabs.ts";
import { handlePanelMessage } from "./panel/panel-actions.ts";
import { PanelProvider } from "./panel/panel-provider.ts";
import { ToolDocuments } from "./panel/tool-documents.ts";
import { Proposals } from "./proposals/proposals.ts";
import { restartAgent } from "./sessions/keep-chat.ts";
import { SessionHistory } from "./sessions/session-history.ts";
import { SessionMarks } from "./sessions/session-marks.ts";
import { SessionTree } from "./sessions/session-tree.ts";
import { isAffected, LAUNCH_SETTINGS, readSetting, TOOL_SETTINGS } from "./settings.ts";
import { StatusBar } from "./status/status-bar.ts";
import { statusFacts } from "./status/status-menu.ts";
import { LogChannel } from "./trouble/log-channel.ts";
import { LogLines } from "./trouble/log-lines.ts";
import { registerTrouble } from "./trouble/register.ts";

/** What other extensions may ask of this one, and what tests may. */
interface Exports extends TillerExports {
  /** The process id of the running agent of the chat that the user is in. */
  agentPid(): number | undefined;
  /** How long the code of all modules took to run, and how long `activate` took after that, in ms. */
  readonly startTimes: { readonly load: number; readonly activate: number };
}

/** What has to be ended in order, which the editor does not do with subscriptions. */
let running: { hub: ChatHub; changes: ChangeTracker; log: vscode.LogOutputChannel } | undefined;

/** Wires the parts. No agent is started, and nothing of the agent loaded, before the view is opened or a command needs it. */
export function activate(context: vscode.ExtensionContext): Exports {
  const startedAt = performance.now();
  if (vscode.l10n.bundle !== undefined) useCatalogue(vscode.l10n.bundle, vscode.env.language);
  const { subscriptions } = context;
  const known = new KnownSecrets(context.secrets);
  const lines = new LogLines(() => known.find);
  const log = new LogChannel(vscode.window.createOutputChannel("Tiller", { log: true }), lines);
  const editors = new EditorQuestions((error) => log.warn(`An answer could not be closed: ${errorMessage(error)}`));
  const statusBar = new StatusBar();
  const proposals = new Proposals({
    edited: (requestId, isEdited) => markEdited(chats, requestId, isEdited),
    failed: (error) => log.warn(`A proposed change could not be closed: ${errorMessage(error)}`),
  });
  const toolDocuments = new ToolDocuments(() => chats.hub.chats, proposals);
  const previews = new Previews();
  const finder = new FileFinder();
  const mentions = new Mentions((error) => log.warn(`The files could not be listed: ${errorMessage(error)}`));
  const promptHistory = new PromptHistory(context.workspaceState);
  const changes = new ChangeTracker((context.storageUri ?? context.globalStorageUri).fsPath, log);
  const highlight = new Highlight();
  const ownTools = createHostTools({
    subscriptions,
    highlight,
    allowedCommands: () => readSetting("hostTools.allowedCommands"),
    reportsProblems: () => readSetting("hostTools.reportProblems"),
    changes,
  });
  const lmTools = new LmToolWatch(
    () => chats.hub.chats.some(({ agent }) => agent.client !== undefined),
    () => lendTools(chats, log),
  );
  const needs = new NeedWatch(
    () => readSetting("hostTools.allowedCommands"),
    () => lendTools(chats, log),
  );
  const shelf = new ToolShelf({
    own: ownTools,
    foreign: () => (readSetting("hostTools.languageModelTools") ? lmTools.tools : []),
    disabled: () => readSetting("hostTools.disabled"),
    tier: (name) => readSetting("hostTools.approval")[name],
    isThere: (need) => needs.isThere(need),
    look: () => needs.look(),
    changed: () => lendTools(chats, log),
  });
  const chats: Chats = new Chats({
    context,
    editors,
    proposals,
    hostTools: shelf,
    changes,
    log,
    received: (message, page) => handlePanelMessage(message, page, services),
  });
  const suggestions = new Suggestions({
    store: context.workspaceState,
    mentions,
    mode: () => readSetting("autoContext"),
    visible: () => chats.hub.chats.filter((chat) => chats.hub.isVisible(chat)),
    log,
  });
  const services = { chats, editors, mentions, suggestions, toolDocuments, previews, finder, promptHistory, log };
  running = { hub: chats.hub, changes, log };
  const apiKey = new ApiKey(context.secrets, {
    get focused() {
      return chats.focused;
    },
    restart: () => restartAll(chats),
  });
  const recentModels = new RecentModels(context.globalState);
  const history = new SessionHistory(chats.hub);
  const tree = new SessionTree({ history, chats, marks: new SessionMarks(context.workspaceState), log });
  const follow = new FollowAgent({ chats, store: context.workspaceState, log });
  showStatus(chats, statusBar);
  subscriptions.push(
    changes,
    highlight,
    follow,
    lmTools,
    needs,
    editors,
    proposals,
    mentions,
    suggestions,
    statusBar,
    toolDocuments,
    previews,
    tree,
    chats.onDidChange(() => showStatus(chats, statusBar)),
    chats.onDidChange(() => suggestions.refresh()),
    vscode.window.registerWebviewViewProvider(PanelProvider.viewId, chats.side, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.window.registerWebviewPanelSerializer(ChatTabs.viewType, chats.tabs),
    vscode.workspace.onDidGrantWorkspaceTrust(() => wakeVisible(chats)),
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(event, chats.hub)),
    watchModelsFile(
      () => chats.focused.session.folder,
      () => launchChanged(chats.hub.chats),
    ),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (isAffected(event, TOOL_SETTINGS)) lendTools(chats, log);
    }),
    ...registerCommands({ ...services, proposals, history, tree, apiKey, recentModels, shelf, follow, highlight }),
    ...registerReview(changes, chats),
    ...registerDoors({ context, chats, history, mentions, log }),
    ...registerTrouble({ context, chats, known, log, lines }),
  );
  const api = { v1: createApi({ chats, shelf, log }) };
  const startTimes = { load: startedAt - LOAD_STARTED_AT, activate: performance.now() - startedAt };
  log.debug(`activated in ${startTimes.activate.toFixed(1)} ms, the code loaded in ${startTimes.load.toFixed(1)} ms`);
  return { agentPid: () => chats.focused.agent.pid, startTimes, api };
}

/** Ends the agents, writes down what they changed, then ends the log; the editor waits for the promise, within limits of its own. */
export async function deactivate(): Promise<void> {
  if (running === undefined) return;
  const { hub, changes, log } = running;
  try {
    await hub.dispose();
    await changes.end();
  } catch (error) {
    log.warn(`Changes could not be written down: ${errorMessage(error)}`);
  } finally {
    log.dispose();
  }
}

function showStatus(chats: Chats, statusBar: StatusBar): void {
  const facts = statusFacts(chats);
  const { ui } = facts;
  statusBar.show(facts);
  void vscode.commands.executeCommand("setContext", "tiller.isRunning", ui.status === "running");
}

function markEdited({ hub }: Chats, requestId: string, isEdited: boolean): void {
  const asked = hub.pending.find(({ request }) => request.id === requestId);
  asked?.chat.transcript.dispatch({ type: "host_proposal_edited", requestId, isEdited });
}

/** Those that do not run hear of the tools when they start. */
function lendTools({ hub }: Chats, log: vscode.LogOutputChannel): void {
  for (const { agent } of hub.chats) {
    agent
      .lendTools()
      .catch((error: unknown) => log.warn(`The agent was not told of the tools: ${errorMessage(error)}`));
  }
}

function wakeVisible({ hub, focused }: Chats): void {
  for (const chat of new Set([focused, ...hub.chats.filter((open) => hub.isVisible(open))])) chat.wake();
}

/** Those that do not run take what has changed when they start. */
async function restartAll({ hub, focused }: Chats): Promise<void> {
  const affected = hub.chats.filter((chat) => chat === focused || chat.agent.client !== undefined);
  await Promise.all(affected.map(restartAgent));
}

function settingsChanged(event: vscode.ConfigurationChangeEvent, { chats }: ChatHub): void {
  if (isAffected(event, ["sendOnEnter", "whileRunning", "density", "maxImageBytes"]) || areFontsAffected(event))
    for (const chat of chats) showPanelSettings(chat);
  if (isAffected(event, ["permissionMode"])) {
    for (const chat of chats) {
      chat.followModeSetting().catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error)));
    }
  }
  if (!isAffected(event, LAUNCH_SETTINGS)) return;
  launchChanged(chats);
}
