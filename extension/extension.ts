import "./editor/load-start.ts"; // first, so that it runs first
import * as vscode from "vscode";
import type { TillerExports } from "../agent/client/vscode-api.ts";
import { errorMessage } from "../agent/protocol/errors.ts";
import { useCatalogue } from "../webview/l10n.ts";
import { createApi } from "./doors/api/create-api.ts";
import { KnownSecrets } from "./editor/known-secrets.ts";
import { LOAD_STARTED_AT } from "./editor/load-start.ts";
import { readSetting } from "./editor/settings.ts";
import { FileFinder } from "./features/code-blocks/file-finder.ts";
import { Previews } from "./features/code-blocks/previews.ts";
import { Mentions } from "./features/composer/mentions.ts";
import { PromptHistory } from "./features/composer/prompt-history.ts";
import { Suggestions } from "./features/composer/suggestions.ts";
import { FollowAgent } from "./features/follow/follow-agent.ts";
import { registerLineComments } from "./features/line-comments/register-line-comments.ts";
import { ApiKey } from "./features/models/api-key.ts";
import { RecentModels } from "./features/models/recent-models.ts";
import { registerReview } from "./features/review/review.ts";
import { SessionHistory } from "./features/sessions/session-history.ts";
import { SessionMarks } from "./features/sessions/session-marks.ts";
import { SessionTree } from "./features/sessions/session-tree.ts";
import { registerStatus } from "./features/status/register-status.ts";
import { ToolDocuments } from "./features/tool-cards/tool-documents.ts";
import { LogChannel } from "./features/trouble/log-channel.ts";
import { LogLines } from "./features/trouble/log-lines.ts";
import { registerTrouble } from "./features/trouble/register.ts";
import { registerUsage } from "./features/usage/register-usage.ts";
import { ChangeTracker } from "./host/changes/change-tracker.ts";
import { createHostToolSet } from "./host/host-tools/create-host-tool-set.ts";
import { Highlight } from "./host/host-tools/editor/highlight.ts";
import { Proposals } from "./host/proposals/proposals.ts";
import { EditorQuestions } from "./host/questions/editor-questions.ts";
import { ChatTabs } from "./window/chat-tabs.ts";
import { Chats } from "./window/chats.ts";
import { PanelProvider } from "./window/panel-provider.ts";
import { registerCommands } from "./wiring/commands.ts";
import { registerDoors } from "./wiring/doors.ts";
import { followSettings } from "./wiring/follow-settings.ts";
import { handlePanelMessage } from "./wiring/panel-actions.ts";

/** The exports of the extension: the API for other extensions, and hooks for tests. */
interface Exports extends TillerExports {
  /** Returns the process id of the running agent of the focused chat. */
  agentPid(): number | undefined;
  /** Duration of loading all modules, and of `activate` after that, in ms. */
  readonly startTimes: { readonly load: number; readonly activate: number };
}

/** Parts that must be stopped in order, which VS Code does not guarantee for subscriptions. */
let running: { chats: Chats; changes: ChangeTracker; log: vscode.LogOutputChannel } | undefined;

/** Connects the parts. Starts no agent and loads nothing of it before the view is opened or a command needs it. */
export function activate(context: vscode.ExtensionContext): Exports {
  const startedAt = performance.now();
  if (vscode.l10n.bundle !== undefined) useCatalogue(vscode.l10n.bundle, vscode.env.language);
  const { subscriptions } = context;
  const known = new KnownSecrets(context.secrets);
  const lines = new LogLines(() => known.find);
  const log = new LogChannel(vscode.window.createOutputChannel("Tiller", { log: true }), lines);
  const editors = new EditorQuestions((error) => log.warn(`An answer could not be closed: ${errorMessage(error)}`));
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
  const agents = () => chats.hub.chats.map(({ agent }) => agent);
  const hostTools = createHostToolSet({ subscriptions, changes, highlight, log, agents });
  const chats: Chats = new Chats({
    context,
    editors,
    proposals,
    hostTools,
    changes,
    log,
    compose: (text, contexts, chat) => mentions.compose(text, contexts, chat),
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
  running = { chats, changes, log };
  const apiKey = new ApiKey(context.secrets, chats);
  const recentModels = new RecentModels(context.globalState);
  const history = new SessionHistory(chats.hub);
  const tree = new SessionTree({ history, chats, marks: new SessionMarks(context.workspaceState), log });
  const follow = new FollowAgent({ chats, store: context.workspaceState, log });
  subscriptions.push(
    changes,
    highlight,
    follow,
    editors,
    proposals,
    mentions,
    suggestions,
    toolDocuments,
    previews,
    tree,
    chats.onDidChange(() => suggestions.refresh()),
    ...registerPlaces(chats),
    ...registerStatus(chats),
    ...followSettings(chats),
    ...registerCommands({ ...services, proposals, history, tree, apiKey, recentModels, hostTools, follow, highlight }),
    ...registerReview(changes, chats),
    ...registerLineComments(changes, chats),
    ...registerUsage({ context, chats, log }),
    ...registerDoors({ context, chats, history, mentions, changes, log }),
    ...registerTrouble({ context, chats, known, log, lines }),
  );
  const api = { v1: createApi({ chats, hostTools, log }) };
  const startTimes = { load: startedAt - LOAD_STARTED_AT, activate: performance.now() - startedAt };
  log.debug(`activated in ${startTimes.activate.toFixed(1)} ms, the code loaded in ${startTimes.load.toFixed(1)} ms`);
  return { agentPid: () => chats.focused.agent.pid, startTimes, api };
}

/** Stops the agents, saves their changes, then closes the log; the editor waits for the promise, within its own limits. */
export async function deactivate(): Promise<void> {
  if (running === undefined) return;
  const { chats, changes, log } = running;
  try {
    await Promise.all([chats.hub.dispose(), chats.quiet.dispose()]);
    await changes.end();
  } catch (error) {
    log.warn(`Couldn't store the changes: ${errorMessage(error)}`);
  } finally {
    log.dispose();
  }
}

function markEdited({ hub }: Chats, requestId: string, isEdited: boolean): void {
  const asked = hub.pending.find(({ request }) => request.id === requestId);
  asked?.chat.transcript.dispatch({ type: "host_proposal_edited", requestId, isEdited });
}

/** Registers the places where chats are shown. A visible chat starts its agent as soon as it may. */
function registerPlaces(chats: Chats): vscode.Disposable[] {
  return [
    vscode.window.registerWebviewViewProvider(PanelProvider.viewId, chats.side, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.window.registerWebviewPanelSerializer(ChatTabs.viewType, chats.tabs),
    vscode.workspace.onDidGrantWorkspaceTrust(() => wakeVisible(chats)),
  ];
}

function wakeVisible({ hub, focused }: Chats): void {
  for (const chat of new Set([focused, ...hub.chats.filter((open) => hub.isVisible(open))])) chat.wake();
}
