import * as vscode from "vscode";
import type { SlashCommand } from "../agent/protocol/commands.ts";
import { errorMessage } from "../agent/protocol/errors.ts";
import { ApiKey } from "./api-key.ts";
import { ApprovalDialogs } from "./approval-dialogs.ts";
import { Chat } from "./chat.ts";
import { FileFinder } from "./code-actions/file-finder.ts";
import { Previews } from "./code-actions/previews.ts";
import { registerCommands } from "./commands.ts";
import { isApproval, presentQuestion } from "./dialogs.ts";
import { EditorQuestions } from "./editor-questions.ts";
import { createHostTools, HostToolRunner } from "./host-tools/registry.ts";
import { agentCommand, blockedBy, rememberSession, sessionFolder } from "./launch.ts";
import { Draft } from "./panel/draft.ts";
import { handlePanelMessage } from "./panel/panel-actions.ts";
import { PanelProvider } from "./panel/panel-provider.ts";
import { ToolDocuments } from "./panel/tool-documents.ts";
import { PlanEditor } from "./plan-editor.ts";
import { SessionMode } from "./session-mode.ts";
import { isAffected, LAUNCH_SETTINGS, readSetting } from "./settings.ts";
import { SlashCommands } from "./slash-commands.ts";
import { StatusBar } from "./status-bar.ts";
import { createTeller } from "./tell-user.ts";
import { TranscriptStore } from "./transcript-store.ts";

/** What other extensions, and tests, may ask of this one. */
export interface TillerExports {
  /** The process id of the running agent. */
  agentPid(): number | undefined;
}

/** What has to be ended in order, which the editor does not do with subscriptions. */
let running: { chat: Chat; log: vscode.LogOutputChannel } | undefined;

/** Wires the parts. No agent is started, and nothing of the agent loaded, before the view is opened or a command needs it. */
export function activate(context: vscode.ExtensionContext): TillerExports {
  const { subscriptions } = context;
  const log = vscode.window.createOutputChannel("Tiller", { log: true });
  const draft = new Draft(context.workspaceState);
  const editors = new EditorQuestions((error) => log.warn(`An answer could not be closed: ${errorMessage(error)}`));
  const approvals = new ApprovalDialogs();
  const statusBar = new StatusBar();
  const panel: PanelProvider = new PanelProvider(
    context.extensionUri,
    {
      received: (message) => handlePanelMessage(message, panelServices),
      shown: () => current.wake(),
      hidden: () => current.questions.remind(isApproval),
      visibilityChanged: (isVisible) => transcript.setVisible(isVisible),
    },
    log,
  );
  const giveBack = (text: string) => {
    const isEmpty = draft.text === "";
    draft.append(text);
    panel.post({ type: "setDraft", text, mode: isEmpty ? "replace" : "append" });
  };
  const transcript: TranscriptStore = new TranscriptStore({
    cwd: sessionFolder(),
    send: (message) => panel.post(message),
    draft: () => draft.copy,
    uiChanged: (ui) => {
      statusBar.show(ui, current.questions.pending.length);
      setRunningContext(ui.status === "running");
    },
  });
  const hostTools = new HostToolRunner(
    createHostTools(subscriptions, { allowedCommands: () => readSetting("hostTools.allowedCommands") }),
    (toolName, error) => log.error(`${toolName} failed: ${errorMessage(error)}`),
  );
  const mode = new SessionMode(() => readSetting("permissionMode"));
  const current: Chat = new Chat(transcript, {
    launch: () => agentCommand(context, mode.current),
    blockedBy,
    mode,
    hostTools,
    present: (question, signal, isWanted) =>
      presentQuestion(question, { editors, approvals }, { isWanted, isChatVisible: panel.isVisible }, signal),
    questionsChanged: (pending) => {
      editors.keepDraftsOf(pending.map(({ request }) => request.id));
      panel.badge(pending.length);
      statusBar.show(transcript.ui, pending.length);
    },
    tell: createTeller({ panel, draft }),
    giveBack,
    rememberSession: (file) => rememberSession(context, file),
    log,
  });
  running = { chat: current, log };
  const toolDocuments = new ToolDocuments(current);
  const previews = new Previews();
  const finder = new FileFinder();
  const plan = new PlanEditor(current);
  const slashCommands = new SlashCommands(() => readCommands(current));
  const panelServices = { chat: current, draft, toolDocuments, previews, finder, plan, slashCommands, panel, log };
  showSettings(transcript);
  subscriptions.push(
    editors,
    statusBar,
    toolDocuments,
    previews,
    vscode.window.registerWebviewViewProvider(PanelProvider.viewId, panel, {
      webviewOptions: { retainContextWhenHidden: true },
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => current.wake()),
    vscode.workspace.onDidChangeConfiguration((event) => settingsChanged(event, current)),
    ...registerCommands({
      chat: current,
      mode,
      previews,
      plan,
      apiKey: new ApiKey(context.secrets, current),
      editors,
      log,
      focusChat: () => panel.focus(),
    }),
  );
  return { agentPid: () => current.agent.pid };
}

/** Ends the agent, then the log that it writes to; the editor waits for the promise, within limits of its own. */
export async function deactivate(): Promise<void> {
  await running?.chat.dispose();
  running?.log.dispose();
}

function showSettings(transcript: TranscriptStore): void {
  const sendOnEnter = readSetting("sendOnEnter");
  const whileRunning = readSetting("whileRunning");
  transcript.dispatch({ type: "host_ui", ui: { sendOnEnter, whileRunning } });
}

function settingsChanged(event: vscode.ConfigurationChangeEvent, current: Chat): void {
  if (isAffected(event, ["sendOnEnter", "whileRunning"])) showSettings(current.transcript);
  if (isAffected(event, ["permissionMode"])) {
    current.followModeSetting().catch((error: unknown) => void vscode.window.showErrorMessage(errorMessage(error)));
  }
  if (!isAffected(event, LAUNCH_SETTINGS) || current.agent.client === undefined) return;
  // Where nothing has been said yet, nothing is broken off.
  if (current.isUntouched) void current.restart();
  else void offerRestart(current);
}

/** A restart breaks off what runs, so it is the user's to choose the moment. */
async function offerRestart(current: Chat): Promise<void> {
  const restart = "Restart Agent";
  const chosen = await vscode.window.showInformationMessage(
    "The changed setting takes effect when the agent restarts.",
    restart,
  );
  if (chosen === restart) await current.restart();
}

/** An agent that does not run is not started for its commands. */
async function readCommands({ agent }: Chat): Promise<readonly SlashCommand[]> {
  const { commands } = (await agent.client?.request("get_commands", {})) ?? { commands: [] };
  return commands;
}

function setRunningContext(isRunning: boolean): void {
  void vscode.commands.executeCommand("setContext", "tiller.isRunning", isRunning);
}
