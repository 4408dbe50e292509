import { access } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import type { AgentCommand } from "../../agent/client/agent-process.ts";
import type { PermissionMode } from "../../agent/protocol/approvals.ts";
import type { ChatSession } from "../chat/chat-session.ts";
import { locateAgent } from "../core/connection/locate-agent.ts";
import { storedKeys } from "../core/keys/stored-keys.ts";
import { readSetting } from "../editor/settings.ts";
import { workspaceFolders } from "../editor/workspace-files.ts";

/** Returns the reason why no agent may start in this window, if there is one. */
export function blockedBy(): "untrusted" | "noFolder" | undefined {
  if (!vscode.workspace.isTrusted) return "untrusted";
  return vscode.workspace.workspaceFolders === undefined ? "noFolder" : undefined;
}

interface LaunchChoice {
  readonly permissionMode: PermissionMode;
  readonly session: ChatSession;
  /** False for an agent that only writes text. */
  readonly hasTools: boolean;
}

/** Collects the agent's start options: the present settings, key, folder and session. */
export async function agentCommand(
  context: vscode.ExtensionContext,
  { permissionMode, session, hasTools }: LaunchChoice,
): Promise<AgentCommand> {
  return locateAgent({
    commandLine: readSetting("agent.command"),
    extraEnv: readSetting("agent.env"),
    permissionMode,
    denyRead: readSetting("denyRead"),
    askForReadOnlyCommands: readSetting("askForReadOnlyCommands"),
    // No agent starts in an untrusted workspace; checked again here, since this decides whose code runs.
    isProjectTrusted: vscode.workspace.isTrusted && readSetting("agent.loadProjectResources"),
    model: readSetting("model"),
    thinkingLevel: readSetting("thinkingLevel"),
    titleModel: readSetting("titleModel"),
    cwd: session.folder,
    folders: workspaceFolders(),
    extensionPath: context.extensionPath,
    sessionFile: session.file,
    sessionId: session.key,
    isTemporary: session.isTemporary,
    hasTools,
    keys: await storedKeys(context.secrets),
    ripgrepPath: await editorRipgrep(),
    parentEnv: process.env,
    runtime: process.execPath,
  });
}

/** Returns the ripgrep of the editor, if it is in one of the usual places. */
async function editorRipgrep(): Promise<string | undefined> {
  const program = process.platform === "win32" ? "rg.exe" : "rg";
  const platform = `${process.platform}-${process.arch}`;
  const places = ["node_modules", "node_modules.asar.unpacked"].flatMap((modules) => [
    join(vscode.env.appRoot, modules, "@vscode", "ripgrep", "bin", program),
    join(vscode.env.appRoot, modules, "@vscode", "ripgrep-universal", "bin", platform, program),
  ]);
  for (const file of places) {
    const isThere = await access(file).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
