import * as vscode from "vscode";
import type { ExportFormat } from "../../../agent/protocol/commands.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import type { ChatHub } from "../../window/chat-hub.ts";

interface Format {
  readonly format: ExportFormat;
  readonly ending: string;
  readonly label: string;
  readonly detail: string;
}

/** Asks for a format and a file, and has the agent export the session of a chat there, without keys unless the user wants them. */
export async function exportSession(chat: Chat, title: string, hub: Pick<ChatHub, "hold">): Promise<void> {
  const chosen = await vscode.window.showQuickPick(formats(), { title: t("Export Session") });
  if (chosen === undefined) return;
  const target = await vscode.window.showSaveDialog({
    title: t("Export Session"),
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(chat.session.folder), `${fileName(title)}.${chosen.ending}`),
    filters: { [chosen.label]: [chosen.ending] },
  });
  if (target === undefined) return;
  const write = (keepSecrets: boolean) =>
    hub.hold(chat, () =>
      chat.request("export_session", { format: chosen.format, outputPath: target.fsPath, keepSecrets }),
    );
  const { hiddenSecrets } = await write(false);
  const open = t("Open");
  const keep = t("Export with Secrets");
  const answers = hiddenSecrets === 0 ? [open] : [open, keep];
  const answer = await vscode.window.showInformationMessage(wordDone(target.fsPath, hiddenSecrets), ...answers);
  if (answer === keep) await write(true);
  if (answer === undefined) return;
  if (chosen.format === "html") await vscode.env.openExternal(target);
  else await vscode.commands.executeCommand("vscode.open", target);
}

function formats(): (Format & vscode.QuickPickItem)[] {
  return [
    {
      format: "html",
      ending: "html",
      label: t("Web page"),
      detail: t("For reading and sharing: one file, no scripts"),
    },
    {
      format: "markdown",
      ending: "md",
      label: "Markdown",
      detail: t("Messages, tool calls, and results"),
    },
    {
      format: "jsonl",
      ending: "jsonl",
      label: "JSONL",
      detail: t("All branches, as a session file you can reopen"),
    },
  ];
}

function wordDone(path: string, hidden: number): string {
  if (hidden === 0) return t("Exported to {0}.", path);
  if (hidden === 1) return t("Exported to {0}. 1 possible secret was redacted.", path);
  return t("Exported to {0}. {1} possible secrets were redacted.", path, hidden);
}

function fileName(title: string): string {
  return (
    title
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-+|-+$/g, "")
      .slice(0, 60) || "session"
  );
}
