import * as vscode from "vscode";
import { t } from "../../webview/l10n.ts";
import type { Chat } from "../chat/chat.ts";
import { notificationText } from "../editor/notification-text.ts";
import { readSetting } from "../editor/settings.ts";
import { type AttentionEvent, decideSignal, type Signal } from "../editor/signal.ts";
import type { ChatHub } from "./chat-hub.ts";
import type { ChatPage } from "./chat-page.ts";

interface AttentionPlaces {
  readonly hub: ChatHub;
  isVisible(chat: Chat): boolean;
  titleOf(chat: Chat): string;
  /** Brings a chat to the front where it is shown. */
  reveal(chat: Chat): Promise<unknown>;
  /** Returns the loaded pages, including hidden ones; those of the chat first. */
  loadedPages(chat: Chat): readonly ChatPage[];
}

/** The pending questions of one chat that have been signalled. */
class SignalledQuestions {
  ids = new Set<string>();
}

/** Draws the attention of a user who is not looking at a chat: once for each event, in the way that the settings name. */
export class Attention {
  readonly #places: AttentionPlaces;

  constructor(places: AttentionPlaces) {
    this.#places = places;
  }

  /** Signals the end of a run. */
  runEnded(chat: Chat, end: "done" | "failed"): void {
    if (this.#places.hub.isHeld(chat)) return;
    if (!this.#signal(chat, end, false).hasNotification) return;
    const title = notificationText(this.#places.titleOf(chat));
    void this.#notify(chat, end, end === "done" ? t('Run finished in "{0}"', title) : t('Run failed in "{0}"', title));
  }

  /**
   * Signals a question that is about to be shown, perhaps again.
   * @param showsItself true when it has an interface of its own that is shown anyway.
   * @returns true when it may be shown as a notification.
   */
  questionCame(chat: Chat, requestId: string, showsItself: boolean): boolean {
    const signalled = signalledOf(chat);
    if (signalled.has(requestId)) return false;
    const { hasNotification, hasSound } = this.#signal(chat, "needsYou", showsItself);
    if (hasNotification || hasSound) signalled.add(requestId);
    return hasNotification;
  }

  /** Signals something else that waits for the user and has a notification of its own. @returns true when that may be shown. */
  userIsNeeded(chat: Chat): boolean {
    return this.#signal(chat, "needsYou", false).hasNotification;
  }

  /** Brings a chat to the front; one that was closed meanwhile is opened again. */
  async showChat({ session }: Chat): Promise<void> {
    await this.#places.reveal(this.#places.hub.open({ key: session.key, file: session.file }));
  }

  #signal(chat: Chat, event: AttentionEvent, showsItself: boolean): Signal {
    const [page] = this.#places.loadedPages(chat);
    const signal = decideSignal({
      setting: readSetting(`notifications.${event}`),
      isWindowFocused: vscode.window.state.focused,
      isChatVisible: this.#places.isVisible(chat),
      canPlay: page !== undefined,
      showsItself,
    });
    if (signal.hasSound) page?.post({ type: "chime", event });
    return signal;
  }

  async #notify(chat: Chat, end: "done" | "failed", text: string): Promise<void> {
    const show = end === "done" ? vscode.window.showInformationMessage : vscode.window.showErrorMessage;
    const button = t("Show Chat");
    if ((await show(text, button)) === button) await this.showChat(chat);
  }
}

function signalledOf(chat: Chat): Set<string> {
  const signalled = chat.parts.of(SignalledQuestions);
  const pending = new Set(chat.questions.pending.map(({ request }) => request.id));
  signalled.ids = new Set([...signalled.ids].filter((id) => pending.has(id)));
  return signalled.ids;
}
