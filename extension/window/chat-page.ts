import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import * as z from "zod";
import { currentCatalogue } from "../../webview/l10n.ts";
import { FromPanel } from "../../webview/protocol/from-panel.ts";
import { PANEL_PROTOCOL_VERSION, type ToPanel } from "../../webview/protocol/to-panel.ts";
import type { Chat } from "../chat/chat.ts";
import type { TranscriptFeed } from "../chat/transcript-store.ts";
import { panelHtml } from "../editor/panel-html.ts";
import type { ChatView } from "./chat-hub.ts";
import type { Drafts } from "./draft.ts";

/** A message of the page's about the conversation. */
export type PanelMessage = Exclude<FromPanel, { type: "ready" } | { type: "focused" } | { type: "blurred" }>;

/** Who serves the pages. */
export interface PageServices {
  readonly extensionUri: vscode.Uri;
  readonly drafts: Drafts;
  readonly log: vscode.LogOutputChannel;
  /** A message about the chat of the page. */
  received(message: PanelMessage, page: ChatPage): void;
  /** The page can be seen, cannot be seen any more, or has another chat. */
  changed(page: ChatPage): void;
  /** The user is in the page. */
  focused(page: ChatPage): void;
  /** The keyboard has come into the page, or has left it. */
  keyboard(page: ChatPage, isIn: boolean): void;
}

/** A chat page: draws what it is sent of one chat at a time and passes on, checked, what the user does in it. */
export class ChatPage implements ChatView {
  readonly #services: PageServices;
  #chat: Chat;
  #feed: TranscriptFeed;
  #webview: vscode.Webview | undefined;
  #isReady = false;
  #isShown = false;
  #wantsFocus = false;
  /** Whether the page has said so: one that is hidden while the keyboard is in it says nothing. */
  #hasKeyboard = false;

  constructor(chat: Chat, services: PageServices) {
    this.#services = services;
    this.#chat = chat;
    this.#feed = this.#feedOf(chat);
  }

  get chat(): Chat {
    return this.#chat;
  }

  get isVisible(): boolean {
    return this.#isReady && this.#isShown && this.#webview !== undefined;
  }

  /** Whether the page runs, hidden or not. */
  get isLoaded(): boolean {
    return this.#isReady && this.#webview !== undefined;
  }

  /** Draws in a webview, until the result is disposed of. */
  attach(webview: vscode.Webview): vscode.Disposable {
    this.#webview = webview;
    this.#isReady = false;
    this.#hasKeyboard = false;
    this.#changed();
    const root = vscode.Uri.joinPath(this.#services.extensionUri, "dist", "webview");
    webview.options = { enableScripts: true, localResourceRoots: [root] };
    const uriOf = (file: string) => webview.asWebviewUri(vscode.Uri.joinPath(root, file)).toString();
    const subscription = webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    const assets = {
      cspSource: webview.cspSource,
      mainScript: uriOf("main.js"),
      toolkitScript: uriOf("toolkit.min.js"),
      styleSheet: uriOf("panel.css"),
    };
    webview.html = panelHtml(assets, currentCatalogue(), randomBytes(16).toString("hex"));
    return {
      dispose: () => {
        subscription.dispose();
        if (this.#webview !== webview) return;
        this.#webview = undefined;
        this.#isReady = false;
        this.#changed();
      },
    };
  }

  /** Whether the editor shows the place that the page is in. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.#changed();
  }

  /** Puts another chat in place of the one that is here. */
  show(chat: Chat): void {
    if (chat === this.#chat) return;
    this.#feed.dispose();
    this.#chat = chat;
    this.#feed = this.#feedOf(chat);
    this.#changed();
  }

  /** Sends everything again: what the page holds is not what it should. */
  redraw(): void {
    this.#feed.setVisible(false);
    this.#feed.setVisible(this.isVisible);
  }

  /** Sends to the page, if there is one. */
  post(message: ToPanel): void {
    void this.#webview?.postMessage(message);
  }

  /** Moves the keyboard into the composer, now or as soon as there is one: only after the user has asked for it. */
  focusComposer(): void {
    this.#wantsFocus = !this.#isReady;
    if (this.#isReady) this.post({ type: "focusComposer" });
  }

  #feedOf(chat: Chat): TranscriptFeed {
    let told: string | undefined;
    return chat.transcript.feed({
      send: (message) => this.post(message),
      draft: () => {
        const { key } = chat.session;
        const was = told === key ? undefined : told;
        told = key;
        return { ...this.#services.drafts.of(key), was };
      },
    });
  }

  #changed(): void {
    this.#feed.setVisible(this.isVisible);
    this.#tellKeyboard();
    this.#services.changed(this);
  }

  #tellKeyboard(): void {
    this.#services.keyboard(this, this.#hasKeyboard && this.isVisible);
  }

  #receive(raw: unknown): void {
    const { log } = this.#services;
    const parsed = FromPanel.safeParse(raw);
    if (!parsed.success) {
      log.warn(`panel: a message was refused. ${z.prettifyError(parsed.error)}`);
      return;
    }
    const message = parsed.data;
    if (message.type === "ready") this.#pageIsReady(message.version);
    else if (message.type === "focused") this.#focused();
    else if (message.type === "blurred") this.#blurred();
    else this.#services.received(message, this);
  }

  #focused(): void {
    this.#services.focused(this);
    this.#hasKeyboard = true;
    this.#tellKeyboard();
  }

  #blurred(): void {
    this.#hasKeyboard = false;
    this.#tellKeyboard();
  }

  #pageIsReady(version: number): void {
    if (version !== PANEL_PROTOCOL_VERSION) {
      this.#services.log.error(
        `panel: the page speaks version ${version}, not ${PANEL_PROTOCOL_VERSION}. Reload the window.`,
      );
      return;
    }
    this.#isReady = true;
    // Also a page that is visible already wants everything: it has seen a gap.
    this.redraw();
    this.#tellKeyboard();
    this.#services.changed(this);
    if (this.#wantsFocus) this.post({ type: "focusComposer" });
    this.#wantsFocus = false;
  }
}
