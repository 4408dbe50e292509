import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { KnownSecrets } from "../../editor/known-secrets.ts";
import { isAffected } from "../../editor/settings.ts";
import type { Chats } from "../../window/chats.ts";
import { Traces } from "../trace-view/traces.ts";
import type { LogLines } from "./log-lines.ts";
import { wordReport } from "./report.ts";
import { reportFacts } from "./report-facts.ts";

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
        t("The report is in the clipboard. It holds nothing of your conversations."),
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
