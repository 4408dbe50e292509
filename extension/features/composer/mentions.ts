import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { ContextAttachment, ContextBlock, ContextSource, ContextWord } from "../../../webview/protocol/context.ts";
import type { FromPanel } from "../../../webview/protocol/from-panel.ts";
import type { Chat } from "../../chat/chat.ts";
import { blockWords } from "../../core/mentions/block-words.ts";
import { fitBlocks, missingBlock } from "../../core/mentions/context-blocks.ts";
import { mentionAt } from "../../core/mentions/mention-text.ts";
import { joinPrompt } from "../../core/mentions/prompt-blocks.ts";
import { chipOf } from "../../core/mentions/sent-chips.ts";
import type { ChatPage } from "../../window/chat-page.ts";
import { readContext, readOrSay } from "./context-reader.ts";
import { droppedPlaces, mentionOf } from "./dropped-places.ts";
import { LastRuns } from "./last-runs.ts";
import { mentionMatches, symbolQuery } from "./mention-matches.ts";
import { pathLists } from "./path-lists.ts";
import { nameOf } from "./places.ts";
import { symbolMatches } from "./symbols.ts";
import { WorkspacePaths } from "./workspace-paths.ts";

/** Most new files that are looked at at once. */
const MAX_LOOKING = 20;

/** What `@` in the composer offers: files and folders of the window, symbols, and what the editor knows. */
export class Mentions implements vscode.Disposable {
  readonly #paths: WorkspacePaths;
  readonly #runs = new LastRuns();
  #watcher: vscode.FileSystemWatcher | undefined;
  #foldersChanged: vscode.Disposable | undefined;
  #latest = 0;
  #looking = 0;

  /** @param failed is told when the files could not be listed. */
  constructor(failed: (error: unknown) => void) {
    this.#paths = new WorkspacePaths(pathLists, failed);
  }

  /** Answers with what fits the mention at the caret, as soon as something is known, and again when more is. */
  async list({ request, text, caret }: Extract<FromPanel, { type: "listMentions" }>, page: ChatPage): Promise<void> {
    this.#latest += 1;
    const turn = this.#latest;
    const open = mentionAt(text, caret);
    if (open === undefined) {
      page.post({ type: "mentions", request, start: caret, end: caret, matches: [] });
      return;
    }
    const { start, end, query, lines } = open;
    const wanted = symbolQuery(query);
    if (wanted !== undefined) {
      const matches = await symbolMatches(wanted);
      if (turn === this.#latest) page.post({ type: "mentions", request, start, end, matches });
      return;
    }
    this.#watch();
    await this.#paths.find(query, openPaths(), ({ matches }) => {
      page.post({ type: "mentions", request, start, end, matches: mentionMatches(query, matches, lines) });
    });
  }

  /** Gives a page the chip for a word that was picked. Rejects with the reason when there is nothing to be had. */
  async take(word: ContextWord, page: ChatPage): Promise<void> {
    const chip = await this.chip({ kind: word }, page.chat, `@${word}`);
    page.post({ type: "addContexts", contexts: [chip] });
  }

  /** A chip with what it would send at this moment. Rejects with the reason when there is nothing to be had. */
  async chip(source: Exclude<ContextSource, { kind: "sent" }>, chat: Chat, mark = ""): Promise<ContextAttachment> {
    return chipOf(await readContext(source, this.#around(chat)), { id: randomUUID(), source, mark });
  }

  /** Shows a page what a chip would send at this moment. */
  async preview({ id, source }: Extract<FromPanel, { type: "previewContext" }>, page: ChatPage): Promise<void> {
    const block = await this.#read(source, sourceName(source), page.chat);
    const { label, detail, note } = blockWords(block);
    page.post({ type: "contextPreview", id, block, label, detail, note });
  }

  /** The message as it is sent: the user's words, and behind them what the chips give at this moment. */
  async compose(text: string, contexts: readonly ContextAttachment[], chat: Chat): Promise<string> {
    const blocks = await Promise.all(
      contexts.map(async ({ fixed, source, label }) => fixed ?? (await this.#read(source, label, chat))),
    );
    return joinPrompt(fitBlocks(blocks), text);
  }

  /** Puts what was dropped into the composer: files and folders as mentions, lines of the Problems view as chips. */
  async drop({ uris, areProblems }: Extract<FromPanel, { type: "dropUris" }>, page: ChatPage): Promise<void> {
    const dropped = droppedPlaces(uris);
    if (areProblems) {
      const sources = dropped.map(({ uri, lines }) => ({ kind: "problems", uri: uri.toString(), ...lines }) as const);
      const contexts = await Promise.all(sources.map((source) => this.chip(source, page.chat)));
      page.post({ type: "addContexts", contexts });
      return;
    }
    const mentions = await Promise.all(dropped.map(mentionOf));
    if (mentions.length > 0) page.post({ type: "insert", text: `${mentions.join(" ")} ` });
  }

  dispose(): void {
    this.#paths.dispose();
    this.#runs.dispose();
    this.#watcher?.dispose();
    this.#foldersChanged?.dispose();
  }

  async #read(source: ContextSource, label: string, chat: Chat): Promise<ContextBlock> {
    if (source.kind === "sent") return missingBlock(label, t("What was sent then cannot be read again."));
    return readOrSay(source, label, this.#around(chat));
  }

  #around(chat: Chat) {
    return { runs: this.#runs, folder: chat.session.folder };
  }

  /** When many come at once, the next listing is soon enough. */
  async #came(uri: vscode.Uri): Promise<void> {
    this.#paths.came();
    if (this.#looking >= MAX_LOOKING) return;
    this.#looking += 1;
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.File) !== 0) this.#paths.came(nameOf(uri));
    } catch {
      // Gone again.
    } finally {
      this.#looking -= 1;
    }
  }

  /** From the first list on: what comes and goes is listed anew. */
  #watch(): void {
    if (this.#watcher !== undefined) return;
    this.#watcher = vscode.workspace.createFileSystemWatcher("**/*", false, true, false);
    this.#watcher.onDidCreate((uri) => void this.#came(uri));
    this.#watcher.onDidDelete((uri) => this.#paths.gone(nameOf(uri)));
    this.#foldersChanged = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#paths.came());
  }
}

/** What a chip is called when there is nothing that it could be named for. */
function sourceName(source: ContextSource): string {
  if ("name" in source) return source.name;
  return "uri" in source && source.uri !== undefined ? nameOf(vscode.Uri.parse(source.uri)) : `@${source.kind}`;
}

function openPaths(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const active = tabs.filter((tab) => tab.isActive);
  return [...active, ...tabs].flatMap(({ input }) => (input instanceof vscode.TabInputText ? [nameOf(input.uri)] : []));
}
