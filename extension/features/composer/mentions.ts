import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import type { ContextAttachment, ContextBlock, ContextSource, ContextWord } from "../../../webview/protocol/context.ts";
import type { FromPanel } from "../../../webview/protocol/from-panel.ts";
import type { PanelMention } from "../../../webview/protocol/to-panel.ts";
import type { Chat } from "../../chat/chat.ts";
import { blockWords } from "../../core/mentions/block-words.ts";
import { fitBlocks, missingBlock } from "../../core/mentions/context-blocks.ts";
import { mentionAt } from "../../core/mentions/mention-text.ts";
import type { PathMatch } from "../../core/mentions/path-search.ts";
import { joinPrompt } from "../../core/mentions/prompt-blocks.ts";
import { chipOf } from "../../core/mentions/sent-chips.ts";
import type { ChatPage } from "../../window/chat-page.ts";
import { readContext, readOrSay } from "./context-reader.ts";
import { droppedPlaces, mentionOf } from "./dropped-places.ts";
import { LastRuns } from "./last-runs.ts";
import { mentionMatches, symbolQuery } from "./mention-matches.ts";
import { pathLists } from "./path-lists.ts";
import { nameOf } from "./places.ts";
import { resourceMatches } from "./resources.ts";
import { symbolMatches } from "./symbols.ts";
import { WorkspacePaths } from "./workspace-paths.ts";

/** Maximum number of new files that are examined at a time. */
const MAX_LOOKING = 20;

/** Provides what `@` in the composer offers: files and folders of the window, symbols, and contexts of the editor. */
export class Mentions implements vscode.Disposable {
  readonly #paths: WorkspacePaths;
  readonly #runs = new LastRuns();
  #watcher: vscode.FileSystemWatcher | undefined;
  #foldersChanged: vscode.Disposable | undefined;
  #latest = 0;
  #looking = 0;

  /** @param failed is called when the files could not be listed. */
  constructor(failed: (error: unknown) => void) {
    this.#paths = new WorkspacePaths(pathLists, failed);
  }

  /** Sends the matches for the mention at the caret as soon as some are known, and again when there are more. */
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
    let paths: readonly PathMatch[] = [];
    let resources: readonly PanelMention[] = [];
    const post = () => {
      page.post({ type: "mentions", request, start, end, matches: mentionMatches(query, { paths, resources, lines }) });
    };
    const finding = resourceMatches(query, page.chat).then((found) => {
      resources = found;
      if (found.length > 0 && turn === this.#latest) post();
    });
    await this.#paths.find(query, openPaths(), ({ matches }) => {
      paths = matches;
      post();
    });
    await finding;
  }

  /** Sends a page the chip for a word that was picked. Rejects with the reason when its content is unavailable. */
  async take(word: ContextWord, mark: string, page: ChatPage): Promise<void> {
    const chip = await this.chip({ kind: word }, page.chat, mark);
    page.post({ type: "addContexts", contexts: [chip] });
  }

  /** Creates a chip with its present content. Rejects with the reason when that is unavailable. */
  async chip(source: Exclude<ContextSource, { kind: "sent" }>, chat: Chat, mark = ""): Promise<ContextAttachment> {
    return chipOf(await readContext(source, this.#around(chat)), { id: randomUUID(), source, mark });
  }

  /** Shows a page the present content of a chip. */
  async preview({ id, source }: Extract<FromPanel, { type: "previewContext" }>, page: ChatPage): Promise<void> {
    const block = await this.#read(source, sourceName(source), page.chat);
    const { label, detail, note } = blockWords(block);
    page.post({ type: "contextPreview", id, block, label, detail, note });
  }

  /** Returns the message as it is sent: the user's text, followed by the present contents of the chips. */
  async compose(text: string, contexts: readonly ContextAttachment[], chat: Chat): Promise<string> {
    // The agent attaches resources itself.
    const read = contexts.filter(({ fixed, source }) => fixed !== undefined || source.kind !== "resource");
    const blocks = await Promise.all(
      read.map(async ({ fixed, source, label }) => fixed ?? (await this.#read(source, label, chat))),
    );
    return joinPrompt(fitBlocks(blocks), text);
  }

  /** Adds what was dropped to the composer: files and folders as mentions, lines of the Problems view as chips. */
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
    if (source.kind === "sent") return missingBlock(label, t("Can't reread content from an earlier message."));
    return readOrSay(source, label, this.#around(chat));
  }

  #around(chat: Chat) {
    return { runs: this.#runs, chat };
  }

  /** Adds a new file to the index; when many come at once, the next listing adds the rest. */
  async #came(uri: vscode.Uri): Promise<void> {
    this.#paths.came();
    if (this.#looking >= MAX_LOOKING) return;
    this.#looking += 1;
    try {
      const { type } = await vscode.workspace.fs.stat(uri);
      if ((type & vscode.FileType.File) !== 0) this.#paths.came(nameOf(uri));
    } catch {
      // Deleted again.
    } finally {
      this.#looking -= 1;
    }
  }

  /** Watches for added and deleted files, from the first list on. */
  #watch(): void {
    if (this.#watcher !== undefined) return;
    this.#watcher = vscode.workspace.createFileSystemWatcher("**/*", false, true, false);
    this.#watcher.onDidCreate((uri) => void this.#came(uri));
    this.#watcher.onDidDelete((uri) => this.#paths.gone(nameOf(uri)));
    this.#foldersChanged = vscode.workspace.onDidChangeWorkspaceFolders(() => this.#paths.came());
  }
}

/** Returns the name of a chip whose content is missing. */
function sourceName(source: ContextSource): string {
  if ("name" in source) return source.name;
  return "uri" in source && source.uri !== undefined ? nameOf(vscode.Uri.parse(source.uri)) : `@${source.kind}`;
}

function openPaths(): string[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const active = tabs.filter((tab) => tab.isActive);
  return [...active, ...tabs].flatMap(({ input }) => (input instanceof vscode.TabInputText ? [nameOf(input.uri)] : []));
}
