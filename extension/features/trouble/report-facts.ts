import { homedir } from "node:os";
import * as vscode from "vscode";
import { AgentExited } from "../../../agent/client/client-errors.ts";
import type { Chat } from "../../chat/chat.ts";
import { SETTING_SHAPES } from "../../editor/setting-shapes.ts";
import type { AgentFacts, ReportFacts } from "./report.ts";

/** Collects the data of a report. */
export function reportFacts(options: {
  readonly context: vscode.ExtensionContext;
  readonly chats: readonly Chat[];
  readonly logLines: readonly string[];
}): ReportFacts {
  return {
    tiller: String(options.context.extension.packageJSON.version),
    editor: `${vscode.env.appName} ${vscode.version} (${vscode.env.appHost})`,
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    remote: vscode.env.remoteName,
    language: vscode.env.language,
    isTrusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
    settings: changedSettings(),
    agents: options.chats.map(agentFacts),
    logLines: options.logLines,
    home: homedir(),
  };
}

function changedSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("tiller");
  const changed = Object.keys(SETTING_SHAPES).flatMap((name) => {
    const value = settings.get<unknown>(name);
    const isDefault = JSON.stringify(value) === JSON.stringify(settings.inspect(name)?.defaultValue);
    return isDefault ? [] : [[`tiller.${name}`, value] as const];
  });
  return Object.fromEntries(changed);
}

function agentFacts({ agent, transcript }: Chat): AgentFacts {
  const items: Record<string, number> = {};
  for (const { kind } of transcript.items()) items[kind] = (items[kind] ?? 0) + 1;
  const { command, lastFailure, version } = agent;
  return {
    status: transcript.ui.status,
    version,
    command: command && [command.file, ...command.args],
    failure: lastFailure && {
      at: lastFailure.at,
      message: lastFailure.error.message,
      stderrTail: lastFailure.error instanceof AgentExited ? lastFailure.error.stderrTail : "",
    },
    items,
    frames: { kept: transcript.trace.count, dropped: transcript.trace.dropped },
  };
}
