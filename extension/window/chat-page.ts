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

/** A message of the page about the conversation. */
export type PanelMessage = Exclude<FromPanel, { type: "ready" | "focused" | "blurred" | "typing" }>;

/** Services for the pages. */
export interface PageServices {
  readonly extensionUri: vscode.Uri;
  readonly drafts: Drafts;
  readonly log: vscode.LogOutputChannel;
  /** Called for a message about the chat of the page. */
  received(message: PanelMessage, page: ChatPage): void;
  /** Called when the page is shown, hidden, or has another chat. */
  changed(page: ChatPage): void;
  /** Called when the user focuses the page. */
  focused(page: ChatPage): void;
  /** Called when the keyboard focus enters or leaves the page. */
  keyboard(page: ChatPage, isIn: boolean): void;
}

/** A chat page: shows one chat at a time, and passes on validated messages of the user's actions. */
export class ChatPage implements ChatView {
  readonly #services: PageServices;
  #chat: Chat;
  #feed: TranscriptFeed;
  #webview: vscode.Webview | undefined;
  #isReady = false;
  #isShown = false;
  #wantsFocus = false;
  /** True when the page has reported the focus: a page that is hidden while focused reports nothing. */
  #hasKeyboard = false;
  #isTyping = false;

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

  /** True if the user is typing in it, so that nothing else may take the keyboard focus. */
  get isTyping(): boolean {
    return this.#isTyping && this.#hasKeyboard && this.isVisible;
  }

  /** True when the page is running, hidden or not. */
  get isLoaded(): boolean {
    return this.#isReady && this.#webview !== undefined;
  }

  /** Shows the page in a webview until the result is disposed. */
  attach(webview: vscode.Webview): vscode.Disposable {
    this.#webview = webview;
    this.#isReady = false;
    this.#hasKeyboard = false;
    this.#isTyping = false;
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

  /** Sets whether the editor shows the place of the page. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.#changed();
  }

  /** Shows another chat instead of the present one. */
  show(chat: Chat): void {
    if (chat === this.#chat) return;
    this.#feed.dispose();
    this.#chat = chat;
    this.#feed = this.#feedOf(chat);
    this.#changed();
  }

  /** Sends everything again, since the page may have missed something. */
  redraw(): void {
    this.#feed.setVisible(false);
    this.#feed.setVisible(this.isVisible);
  }

  /** Posts to the page, if there is one. */
  post(message: ToPanel): void {
    void this.#webview?.postMessage(message);
  }

  /** Focuses the composer, now or once it is loaded; only after the user has asked for it. */
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
    else if (message.type === "typing") this.#isTyping = message.isTyping;
    else {
      // The answer to a sent message can come before the page tells that the typing has ended.
      if (message.type === "prompt") this.#isTyping = false;
      this.#services.received(message, this);
    }
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
    this.#isTyping = false;
    if (version !== PANEL_PROTOCOL_VERSION) {
      this.#services.log.error(
        `panel: the page speaks version ${version}, not ${PANEL_PROTOCOL_VERSION}. Reload the window.`,
      );
      return;
    }
    this.#isReady = true;
    // A page that is visible already needs everything, too: it has missed something.
    this.redraw();
    this.#tellKeyboard();
    this.#services.changed(this);
    if (this.#wantsFocus) this.post({ type: "focusComposer" });
    this.#wantsFocus = false;
  }
}
