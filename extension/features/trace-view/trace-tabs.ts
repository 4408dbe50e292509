import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import type { KnownSecrets } from "../../editor/known-secrets.ts";
import { MAX_TRACE_BYTES, NoTrace, readTrace, type SavedTrace, traceFile } from "./trace-file.ts";
import { showTrace, type TraceAction, type TraceLog, type TracePage } from "./trace-page.ts";
import { liveSource, savedSource } from "./trace-sources.ts";

interface TraceTabsOptions {
  readonly context: vscode.ExtensionContext;
  readonly known: KnownSecrets;
  readonly log: TraceLog;
  readonly titleOf: (chat: Chat) => string;
  readonly replay: (trace: SavedTrace) => Promise<void>;
  /** Reports errors to the user. */
  readonly report: (work: Promise<unknown>) => void;
}

/** Traces as editor tabs: those of chats, which grow, and those of files. */
export class TraceTabs implements vscode.CustomReadonlyEditorProvider {
  static readonly editorType = "tiller.traceFile";
  readonly #options: TraceTabsOptions;
  readonly #open = new Map<Chat, { panel: vscode.WebviewPanel; page: TracePage }>();

  constructor(options: TraceTabsOptions) {
    this.#options = options;
  }

  /** Shows the trace of a chat beside the active editor. */
  async open(chat: Chat): Promise<void> {
    const { context, known, log, titleOf, report } = this.#options;
    await known.refresh();
    const open = this.#open.get(chat);
    if (open !== undefined) {
      open.panel.reveal();
      return;
    }
    const title = t("Trace: {0}", titleOf(chat));
    const panel = vscode.window.createWebviewPanel("tiller.trace", title, vscode.ViewColumn.Active, {
      retainContextWhenHidden: true,
    });
    const page = showTrace(panel.webview, {
      extensionUri: context.extensionUri,
      source: liveSource(chat.transcript.trace),
      find: (text) => known.find(text),
      log,
      act: (action) => report(this.#act(action, chat)),
    });
    this.#open.set(chat, { panel, page });
    panel.onDidDispose(() => {
      this.#open.delete(chat);
      page.dispose();
    });
  }

  /** Updates the pages, since the settings of traces have changed. */
  settingsChanged(): void {
    for (const { page } of this.#open.values()) page.restart();
  }

  /** Asks for a file and saves the trace of a chat there, without secrets. */
  async save(chat: Chat): Promise<void> {
    const { trace, seed } = chat.transcript;
    if (trace.count === 0) throw new Error(t("This chat has no recorded frames yet."));
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(vscode.Uri.file(seed.cwd), "chat.tillertrace"),
      filters: { [t("Trace")]: ["tillertrace"] },
    });
    if (target !== undefined) await vscode.workspace.fs.writeFile(target, await this.#bytes(chat));
  }

  /** Replays the trace of a chat as it would be saved. */
  async replay(chat: Chat): Promise<void> {
    await this.#options.replay(await readTrace(await this.#bytes(chat)));
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { context, known, log, replay, report } = this.#options;
    const trace = await readTraceFile(uri);
    await known.refresh();
    const page = showTrace(panel.webview, {
      extensionUri: context.extensionUri,
      source: savedSource(trace),
      find: (text) => known.find(text),
      log,
      act: (action) => {
        if (action === "replay") report(replay(trace));
      },
    });
    panel.onDidDispose(() => page.dispose());
  }

  async #act(action: TraceAction, chat: Chat): Promise<void> {
    switch (action) {
      case "save":
        return this.save(chat);
      case "replay":
        return this.replay(chat);
      case "clear":
        chat.transcript.trace.clear();
        return;
      case "settings":
        await vscode.commands.executeCommand("workbench.action.openSettings", "tiller.trace");
    }
  }

  async #bytes(chat: Chat): Promise<Uint8Array> {
    const { context, known, titleOf } = this.#options;
    const { trace, seed } = chat.transcript;
    const tiller = String(context.extension.packageJSON.version);
    const find = await known.refresh();
    const header = { savedAt: Date.now(), tiller, title: titleOf(chat), dropped: trace.dropped, ...seed };
    return new TextEncoder().encode(await traceFile(header, trace.after(0), find));
  }
}

/** Reads a `.tillertrace` file. @throws NoTrace, or an Error of the file system. */
export async function readTraceFile(uri: vscode.Uri): Promise<SavedTrace> {
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > MAX_TRACE_BYTES) throw new NoTrace(t("The trace file is too large."));
  return readTrace(await vscode.workspace.fs.readFile(uri));
}
