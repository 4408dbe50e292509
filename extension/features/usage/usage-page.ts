import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod";
import type { CommandResult } from "../../../agent/protocol/commands.ts";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { currentCatalogue, t } from "../../../webview/l10n.ts";
import { FromUsage, type ToUsage } from "../../../webview/protocol/usage.ts";
import { panelHtml } from "../../editor/panel-html.ts";
import type { Chats } from "../../window/chats.ts";
import { shownUsage, usageCsv } from "./shown-usage.ts";

const DEFAULT_DAYS = 30;

interface UsagePageParts {
  readonly extensionUri: vscode.Uri;
  readonly chats: Chats;
  readonly log: Pick<vscode.LogOutputChannel, "warn" | "error">;
}

/** The page that shows what the sessions on disk have used, in an editor tab. There is at most one. */
export class UsagePage implements vscode.Disposable {
  readonly #parts: UsagePageParts;
  #panel: vscode.WebviewPanel | undefined;
  #days = DEFAULT_DAYS;
  #usage: CommandResult<"get_usage"> | undefined;

  constructor(parts: UsagePageParts) {
    this.#parts = parts;
  }

  /** Opens the page, or shows it with new numbers. */
  open(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      void this.#load(this.#days);
      return;
    }
    const panel = vscode.window.createWebviewPanel("tiller.usage", t("Tiller: Usage"), vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
      enableFindWidget: true,
    });
    const { extensionUri } = this.#parts;
    const root = vscode.Uri.joinPath(extensionUri, "dist", "webview");
    const uriOf = (file: string) => panel.webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
    const assets = {
      cspSource: panel.webview.cspSource,
      mainScript: uriOf("usage.js"),
      styleSheet: uriOf("usage-page.css"),
    };
    this.#panel = panel;
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    panel.webview.onDidReceiveMessage((raw: unknown) => this.#receive(raw));
    panel.webview.options = { enableScripts: true, localResourceRoots: [root] };
    panel.webview.html = panelHtml(assets, currentCatalogue(), randomBytes(16).toString("hex"));
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #receive(raw: unknown): void {
    const { log } = this.#parts;
    const { data: message, error } = FromUsage.safeParse(raw);
    if (message === undefined) log.warn(`usage: a message was refused. ${z.prettifyError(error)}`);
    else if (message.type === "ready") void this.#load(this.#days);
    else if (message.type === "load") void this.#load(message.days);
    else if (message.type === "open") this.#report(this.#openSession(message.path));
    else if (message.type === "export") this.#report(this.#export());
    else log.error(`usage: ${message.message}`);
  }

  async #load(days: number): Promise<void> {
    this.#days = days;
    this.#post({ type: "loading", days });
    try {
      const usage = await this.#parts.chats.focused.request("get_usage", { days });
      if (this.#days !== days) return; // another range was chosen meanwhile
      this.#usage = usage;
      this.#post({ type: "usage", usage: shownUsage(usage, days, Date.now()) });
    } catch (error) {
      if (this.#days !== days) return;
      this.#post({ type: "failed", message: t("Couldn't read the usage: {0}", errorMessage(error)) });
    }
  }

  /** Opens a session that the page shows. */
  async #openSession(path: string): Promise<void> {
    const session = this.#usage?.sessions.find((one) => one.path === path);
    if (session === undefined) return;
    const { chats } = this.#parts;
    const { project: folder } = session;
    // An agent works only in a folder that the user has opened, and trusts.
    if (vscode.workspace.workspaceFolders?.some(({ uri }) => uri.fsPath === folder) !== true)
      return offerFolder(folder);
    await chats.showAtSide(chats.hub.open({ key: session.id, file: path, folder }));
  }

  async #export(): Promise<void> {
    if (this.#usage === undefined) return;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file("/");
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(folder, "tiller-usage.csv"),
      filters: { CSV: ["csv"] },
    });
    if (target !== undefined) await vscode.workspace.fs.writeFile(target, Buffer.from(usageCsv(this.#usage)));
  }

  #report(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      this.#parts.log.error(`usage: ${errorMessage(error)}`);
      void vscode.window.showErrorMessage(errorMessage(error));
    });
  }

  #post(message: ToUsage): void {
    void this.#panel?.webview.postMessage(message);
  }
}

async function offerFolder(folder: string): Promise<void> {
  const open = t("Open Folder in New Window");
  const text = t("This session belongs to another folder. Open the folder to continue it.");
  if ((await vscode.window.showInformationMessage(text, { modal: true, detail: folder }, open)) !== open) return;
  await vscode.commands.executeCommand("vscode.openFolder", vscode.Uri.file(folder), { forceNewWindow: true });
}
