import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chats } from "../../window/chats.ts";
import { blockedBy } from "../../window/launch.ts";
import type { SessionHistory, SessionPage, SessionRow } from "./session-history.ts";
import { memoryTooltip, type SessionNode, treeItem } from "./session-items.ts";
import type { SessionMark, SessionMarks } from "./session-marks.ts";
import { groupByAge, PAGE_SIZE } from "./session-words.ts";

/** Changes in quick succession cause one reload; in milliseconds. */
const RELOAD_DELAY_MS = 300;
/** Maximum number of sessions that are read again after a change. */
const MAX_RELOADED = 500;

interface SessionTreeOptions {
  readonly history: SessionHistory;
  readonly chats: Chats;
  readonly marks: SessionMarks;
  readonly log: vscode.LogOutputChannel;
}

/** The view of the project's sessions. Reads them from disk through an agent, fifty at first. */
export class SessionTree implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  static readonly viewId = "tiller.sessions";
  readonly #history: SessionHistory;
  readonly #chats: Chats;
  readonly #marks: SessionMarks;
  readonly #log: vscode.LogOutputChannel;
  readonly #view: vscode.TreeView<SessionNode>;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #subscriptions: vscode.Disposable[];
  #page: SessionPage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seen = "";

  constructor({ history, chats, marks, log }: SessionTreeOptions) {
    this.#history = history;
    this.#chats = chats;
    this.#marks = marks;
    this.#log = log;
    this.#view = vscode.window.createTreeView(SessionTree.viewId, { treeDataProvider: this });
    this.#subscriptions = [
      this.#changed,
      this.#view,
      chats.onDidChange(() => this.#chatsChanged()),
      this.#view.onDidChangeVisibility(() => this.reload()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.reload()),
    ];
  }

  get onDidChangeTreeData(): vscode.Event<undefined> {
    return this.#changed.event;
  }

  /** Reads the sessions again soon. */
  reload(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#view.visible) return;
      this.#load(Math.min(Math.max(this.#page?.rows.length ?? 0, PAGE_SIZE), MAX_RELOADED))
        .then(() => this.#changed.fire(undefined))
        .catch((error: unknown) => this.#log.warn(`The sessions could not be read: ${errorMessage(error)}`));
    }, RELOAD_DELAY_MS);
  }

  /** Returns the session of a file, if it is listed. */
  find(path: string): SessionRow | undefined {
    const row = this.#page?.rows.find(({ summary }) => summary.path === path);
    return row && this.#history.row(row.summary);
  }

  /** Shows the next page, too. */
  async loadMore(): Promise<void> {
    const before = this.#page;
    const cursor = before?.nextCursor;
    if (before === undefined || cursor === undefined) return;
    const next = await this.#history.list({ cursor });
    if (next === undefined || this.#page !== before) return;
    this.#page = { ...next, rows: [...before.rows, ...next.rows] };
    this.#changed.fire(undefined);
  }

  async getChildren(node?: SessionNode): Promise<SessionNode[]> {
    if (node?.kind === "group")
      return node.rows.map((row) => ({ kind: "session", row, mark: this.#marks.of(row.summary.path) }));
    if (node !== undefined || blockedBy() !== undefined) return [];
    const temporary = this.#temporary();
    if (this.#page === undefined) await this.#load(PAGE_SIZE);
    const { rows = [], total = 0, nextCursor } = this.#page ?? {};
    const current = rows.map(({ summary }) => ({ modifiedAt: summary.modifiedAt, row: this.#history.row(summary) }));
    const marked = (mark: SessionMark | undefined) =>
      current.filter(({ row }) => this.#marks.of(row.summary.path) === mark);
    const groups = groupByAge(marked(undefined), Date.now()).map(
      ({ title, sessions }): SessionNode => ({ kind: "group", title, rows: sessions.map(({ row }) => row) }),
    );
    const more: SessionNode[] = nextCursor === undefined ? [] : [{ kind: "more", hidden: total - rows.length }];
    const pinned = groupOf(t("Pinned"), marked("pinned"), false);
    const archived = groupOf(t("Archived"), marked("archived"), true);
    return [...temporary, ...pinned, ...groups, ...archived, ...more];
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    const chat = node.kind === "session" ? this.#history.chatOf(node.row.summary) : undefined;
    return treeItem(node, chat?.agent.pid !== undefined);
  }

  /** Called when the mouse hovers over a line, to look up what is costly. */
  async resolveTreeItem(item: vscode.TreeItem, node: SessionNode): Promise<vscode.TreeItem> {
    if (node.kind !== "session") return item;
    const pid = this.#history.chatOf(node.row.summary)?.agent.pid;
    item.tooltip = await memoryTooltip(node.row, pid);
    return item;
  }

  /** Pins or archives a session; undefined removes the mark. */
  mark(path: string, mark: SessionMark | undefined): void {
    this.#marks.set(path, mark);
    this.#changed.fire(undefined);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #temporary(): SessionNode[] {
    const { hub } = this.#chats;
    return hub.chats
      .filter((chat) => chat.session.isTemporary && !chat.isUntouched)
      .map((chat) => ({
        kind: "temporary",
        key: chat.session.key,
        title: this.#chats.titleOf(chat),
        state: hub.statusOf(chat),
      }));
  }

  /** Loads the sessions; pinned ones are included however old they are. */
  async #load(limit: number): Promise<void> {
    const page = await this.#history.list({ limit });
    const listed = new Set(page?.rows.map(({ summary }) => summary.path));
    const isWhole = page?.nextCursor === undefined || this.#marks.pinned.every((path) => listed.has(path));
    this.#page = (isWhole ? page : await this.#history.list({ limit: MAX_RELOADED })) ?? this.#page;
  }

  #chatsChanged(): void {
    const { hub } = this.#chats;
    const lines = hub.chats.map((chat) => {
      const mark = chat === hub.focused ? ">" : "";
      return `${mark}${chat.session.file} ${hub.statusOf(chat)} ${chat.session.title}`;
    });
    const seen = lines.join("\n");
    if (seen === this.#seen) return;
    this.#seen = seen;
    if (this.#page === undefined) return;
    this.#changed.fire(undefined);
    this.reload();
  }
}

function groupOf(title: string, sessions: readonly { row: SessionRow }[], isFolded: boolean): SessionNode[] {
  if (sessions.length === 0) return [];
  return [{ kind: "group", title, rows: sessions.map(({ row }) => row), isFolded }];
}
