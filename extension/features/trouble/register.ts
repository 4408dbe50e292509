import { homedir } from "node:os";
import * as vscode from "vscode";
import { AgentExited } from "../../../agent/client/client-errors.ts";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import type { KnownSecrets } from "../../editor/known-secrets.ts";
import { SETTING_SHAPES } from "../../editor/setting-shapes.ts";
import { isAffected } from "../../editor/settings.ts";
import type { Chats } from "../../window/chats.ts";
import { Traces } from "../trace-view/traces.ts";
import type { LogLines } from "./log-lines.ts";
import { type AgentFacts, type ReportFacts, wordReport } from "./report.ts";

/** Registers traces, replays and reports with their commands; failures are shown to the user. */
export function registerTrouble(parts: {
  readonly context: vscode.ExtensionContext;
  readonly chats: Chats;
  readonly known: KnownSecrets;
  readonly log: vscode.LogOutputChannel;
  readonly lines: LogLines;
}): vscode.Disposable[] {
  const { context, chats, known, log, lines } = parts;
  const report = (work: Promise<unknown>) => {
    work.catch((error: unknown) => {
      log.error(`trace: ${errorMessage(error)}`);
      void vscode.window.showErrorMessage(errorMessage(error));
    });
  };
  const traces = new Traces({ ...parts, report });
  const commands: Record<string, (argument: unknown) => Promise<unknown>> = {
    ...traces.commands,
    "tiller.copyReport": async () => {
      const find = await known.refresh();
      const facts = reportFacts({ context, chats: chats.hub.chats, logLines: lines.last });
      await vscode.env.clipboard.writeText(wordReport(facts, find));
      void vscode.window.showInformationMessage(
        t("Diagnostic report copied to the clipboard. It doesn't contain your chats."),
      );
    },
  };
  return [
    traces,
    context.secrets.onDidChange(() => void known.refresh()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (isAffected(event, ["trace.enabled", "trace.maxMegabytes"])) traces.settingsChanged();
    }),
    ...Object.entries(commands).map(([id, run]) =>
      vscode.commands.registerCommand(id, (argument: unknown) => report(run(argument))),
    ),
  ];
}

/** Collects the data of a report. */
function reportFacts(options: {
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
