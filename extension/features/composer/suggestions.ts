import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { ContextAttachment, ContextSource } from "../../../webview/protocol/context.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";
import type { Chat } from "../../chat/chat.ts";
import { isSecretLooking } from "../../editor/secret-files.ts";
import type { Store } from "../../window/draft.ts";
import type { Mentions } from "./mentions.ts";
import { isGitIgnored } from "./path-lists.ts";
import { editorsInOrder } from "./places.ts";

const KEY = "tiller.dismissedSuggestions";
/** Maximum number of chats whose dismissal is remembered. */
const MAX_DISMISSED = 200;
/** Delay after the last change of the selection, in milliseconds. */
const SETTLED_MS = 150;
/** Maximum age of a file's cached ignore state, in milliseconds. */
const MAX_IGNORED_AGE_MS = 30_000;

const Dismissed = z.array(z.string()).catch([]);

/** The setting for what is suggested, and whether it is attached by default. */
export type AutoContext = "never" | "off" | "selection" | "file+selection";

interface SuggestionOptions {
  readonly store: Store;
  readonly mentions: Mentions;
  readonly mode: () => AutoContext;
  /** Returns the visible chats. */
  readonly visible: () => readonly Chat[];
  readonly log: { warn(message: string): void };
}

type Source = Exclude<ContextSource, { kind: "sent" }>;

/** The suggestions of one chat, by their keys. */
class ChatSuggestions {
  /** The one that was accepted last; it is not offered again. */
  accepted: string | undefined;
  shown = "";
}

/** Offers the selection in the editor for the next message of the visible chats. */
export class Suggestions implements vscode.Disposable {
  readonly #options: SuggestionOptions;
  readonly #subscriptions: vscode.Disposable[];
  readonly #ignored = new Map<string, { readonly answer: Promise<boolean>; readonly at: number }>();
  #dismissed: readonly string[];
  #timer: NodeJS.Timeout | undefined;
  #turn = 0;

  constructor(options: SuggestionOptions) {
    this.#options = options;
    this.#dismissed = Dismissed.parse(options.store.get(KEY) ?? []);
    this.#subscriptions = [
      vscode.window.onDidChangeTextEditorSelection(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
    ];
  }

  /** Updates the suggestions soon, since the selection, the setting or the visible chats have changed. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#show().catch((error: unknown) =>
        this.#options.log.warn(`The selection could not be offered: ${errorMessage(error)}`),
      );
    }, SETTLED_MS);
  }

  /** Handles the user's answer to a suggestion. A chat in which one was dismissed gets no more. */
  answer(action: "accept" | "dismiss", chat: Chat): void {
    if (action === "accept") {
      chat.parts.of(ChatSuggestions).accepted = keyOf(chat.transcript.ui.suggestion);
    } else {
      this.#dismissed = [...this.#dismissed, chat.session.key].slice(-MAX_DISMISSED);
      void this.#options.store.update(KEY, this.#dismissed);
    }
    this.#dispatch(chat, undefined);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #show(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const mode = this.#options.mode();
    const sources = mode === "never" ? [] : await this.#sources(mode === "file+selection");
    for (const chat of this.#options.visible()) {
      const suggestion = this.#dismissed.includes(chat.session.key)
        ? undefined
        : await this.#suggestion(sources, chat, mode !== "off");
      if (turn !== this.#turn) return;
      this.#dispatch(chat, suggestion);
    }
  }

  async #suggestion(sources: readonly Source[], chat: Chat, isTaken: boolean): Promise<PanelUi["suggestion"]> {
    if (sources.length === 0) return undefined;
    const contexts: ContextAttachment[] = [];
    for (const source of sources) {
      const chip = await this.#options.mentions.chip(source, chat).catch(() => undefined); // deleted, or not text
      if (chip !== undefined) contexts.push({ ...chip, id: JSON.stringify(source) });
    }
    const suggestion = { contexts, isTaken };
    const isNews = isTaken || chat.parts.of(ChatSuggestions).accepted !== keyOf(suggestion);
    return contexts.length > 0 && isNews ? suggestion : undefined;
  }

  #dispatch(chat: Chat, suggestion: PanelUi["suggestion"]): void {
    const key = JSON.stringify(suggestion) ?? "";
    const suggestions = chat.parts.of(ChatSuggestions);
    if (suggestions.shown === key) return;
    suggestions.shown = key;
    chat.transcript.dispatch({ type: "host_ui", ui: { suggestion } });
  }

  async #sources(withFile: boolean): Promise<Source[]> {
    const [editor] = editorsInOrder();
    if (editor === undefined) return [];
    const { document, selection } = editor;
    const { uri } = document;
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined || isSecretLooking(uri.path)) return [];
    if (await this.#isIgnored(folder.uri.fsPath, uri.fsPath)) return [];
    const file: Source[] = withFile ? [{ kind: "file", uri: uri.toString() }] : [];
    return selection.isEmpty ? file : [...file, { kind: "lines", uri: uri.toString(), ...linesOf(selection) }];
  }

  #isIgnored(folder: string, path: string): Promise<boolean> {
    const known = this.#ignored.get(path);
    if (known !== undefined && Date.now() - known.at < MAX_IGNORED_AGE_MS) return known.answer;
    const answer = isGitIgnored(folder, path);
    if (this.#ignored.size > 100) this.#ignored.clear();
    this.#ignored.set(path, { answer, at: Date.now() });
    return answer;
  }
}

/** Returns the selected lines; a selection that ends before the first character of a line does not include that line. */
function linesOf({ start, end }: vscode.Selection): { startLine: number; endLine: number } {
  const isBefore = end.character === 0 && end.line > start.line;
  return { startLine: start.line + 1, endLine: isBefore ? end.line : end.line + 1 };
}

function keyOf(suggestion: PanelUi["suggestion"]): string {
  return (suggestion?.contexts ?? []).map(({ id }) => id).join(" ");
}
