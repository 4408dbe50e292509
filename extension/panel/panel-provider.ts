import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { z } from "zod";
import { FromPanel, PANEL_PROTOCOL_VERSION, type ToPanel } from "../../webview/protocol.ts";
import { panelHtml } from "./panel-html.ts";

/** A message of the page's, other than that it is there. */
export type PanelMessage = Exclude<FromPanel, { type: "ready" }>;

/** Who serves the page. */
export interface PanelListener {
  received(message: PanelMessage): void;
  /** There is a page: the user has opened the view. */
  shown(): void;
  /** The user has closed the view, or put something else in its place. */
  hidden(): void;
  /** The page can be drawn on, or cannot any more; each time that it becomes visible it wants everything. */
  visibilityChanged(isVisible: boolean): void;
}

/** The chat page: draws what it is sent and passes on, checked, what the user does in it. */
export class PanelProvider implements vscode.WebviewViewProvider {
  static readonly viewId = "tiller.chat";
  readonly #extensionUri: vscode.Uri;
  readonly #listener: PanelListener;
  readonly #log: vscode.LogOutputChannel;
  #view: vscode.WebviewView | undefined;
  #isReady = false;
  #wantsFocus = false;

  constructor(extensionUri: vscode.Uri, listener: PanelListener, log: vscode.LogOutputChannel) {
    this.#extensionUri = extensionUri;
    this.#listener = listener;
    this.#log = log;
  }

  get isVisible(): boolean {
    return this.#isReady && this.#view?.visible === true;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    this.#isReady = false;
    this.#listener.visibilityChanged(false);
    const root = vscode.Uri.joinPath(this.#extensionUri, "dist", "webview");
    view.webview.options = { enableScripts: true, localResourceRoots: [root] };
    const uriOf = (file: string) => view.webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
    const subscriptions = [
      view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message)),
      view.onDidChangeVisibility(() => {
        this.#listener.visibilityChanged(this.isVisible);
        if (!view.visible) this.#listener.hidden();
      }),
    ];
    view.onDidDispose(() => {
      for (const subscription of subscriptions) subscription.dispose();
      if (this.#view !== view) return;
      this.#view = undefined;
      this.#isReady = false;
      this.#listener.visibilityChanged(false);
    });
    const assets = {
      cspSource: view.webview.cspSource,
      mainScript: uriOf("main.js"),
      toolkitScript: uriOf("toolkit.min.js"),
      styleSheet: uriOf("panel.css"),
    };
    view.webview.html = panelHtml(assets, randomBytes(16).toString("hex"));
    this.#listener.shown();
  }

  /** Sends to the page, if there is one. */
  post(message: ToPanel): void {
    void this.#view?.webview.postMessage(message);
  }

  /** Moves the keyboard into the composer: only after the user has asked for it. */
  async focus(): Promise<void> {
    this.#wantsFocus = !this.#isReady;
    await vscode.commands.executeCommand(`${PanelProvider.viewId}.focus`);
    if (this.#isReady) this.post({ type: "focusComposer" });
  }

  /** What an extension of the agent calls the view. */
  describe(text: string): void {
    if (this.#view !== undefined) this.#view.description = text;
  }

  /** Shows on the view's icon how many questions wait. */
  badge(pendingQuestions: number): void {
    if (this.#view === undefined) return;
    this.#view.badge =
      pendingQuestions === 0 ? undefined : { value: pendingQuestions, tooltip: "The agent waits for your answer" };
  }

  #receive(raw: unknown): void {
    const parsed = FromPanel.safeParse(raw);
    if (!parsed.success) {
      this.#log.warn(`panel: a message was refused. ${z.prettifyError(parsed.error)}`);
      return;
    }
    const message = parsed.data;
    if (message.type === "ready") this.#pageIsReady(message.version);
    else this.#listener.received(message);
  }

  #pageIsReady(version: number): void {
    if (version !== PANEL_PROTOCOL_VERSION) {
      this.#log.error(`panel: the page speaks version ${version}, not ${PANEL_PROTOCOL_VERSION}. Reload the window.`);
      return;
    }
    this.#isReady = true;
    // Also a page that is visible already wants everything: it has seen a gap.
    this.#listener.visibilityChanged(false);
    this.#listener.visibilityChanged(this.isVisible);
    if (this.#wantsFocus) this.post({ type: "focusComposer" });
    this.#wantsFocus = false;
  }
}
