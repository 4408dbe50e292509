import * as vscode from "vscode";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { ChatState } from "../chats/chat-hub.ts";
import type { Chats } from "../chats/chats.ts";
import { blockedBy } from "../launch.ts";
import type { SessionHistory, SessionPage, SessionRow } from "./session-history.ts";
import { groupByAge, PAGE_SIZE, STATE_WORDS, sessionTitle, shortAge } from "./session-words.ts";

/** Changes that come shortly after each other are one. */
const RELOAD_DELAY_MS = 300;
/** Most sessions that are read again after a change. */
const MAX_RELOADED = 500;

/** A line of the tree. */
export type SessionNode =
  | { readonly kind: "group"; readonly title: string; readonly rows: readonly SessionRow[] }
  | { readonly kind: "session"; readonly row: SessionRow }
  /** A chat of which nothing is on disk. */
  | { readonly kind: "temporary"; readonly key: string; readonly title: string; readonly state: ChatState }
  | { readonly kind: "more"; readonly hidden: number };

/** The view of the project's sessions. Reads them from disk by an agent, fifty at first. */
export class SessionTree implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  static readonly viewId = "tiller.sessions";
  readonly #history: SessionHistory;
  readonly #chats: Chats;
  readonly #log: vscode.LogOutputChannel;
  readonly #view: vscode.TreeView<SessionNode>;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #subscriptions: vscode.Disposable[];
  #page: SessionPage | undefined;
  #timer: NodeJS.Timeout | undefined;
  #seen = "";

  constructor(history: SessionHistory, chats: Chats, log: vscode.LogOutputChannel) {
    this.#history = history;
    this.#chats = chats;
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

  /** The session of a file, as far as it is listed. */
  find(path: string): SessionRow | undefined {
    const row = this.#page?.rows.find(({ summary }) => summary.path === path);
    return row && this.#history.row(row.summary);
  }

  /** Shows the next page too. */
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
    if (node?.kind === "group") return node.rows.map((row) => ({ kind: "session", row }));
    if (node !== undefined || blockedBy() !== undefined) return [];
    const temporary = this.#temporary();
    if (this.#page === undefined) await this.#load(PAGE_SIZE);
    const { rows = [], total = 0, nextCursor } = this.#page ?? {};
    const current = rows.map(({ summary }) => ({ modifiedAt: summary.modifiedAt, row: this.#history.row(summary) }));
    const groups = groupByAge(current, Date.now()).map(
      ({ title, sessions }): SessionNode => ({ kind: "group", title, rows: sessions.map(({ row }) => row) }),
    );
    const more: SessionNode[] = nextCursor === undefined ? [] : [{ kind: "more", hidden: total - rows.length }];
    return [...temporary, ...groups, ...more];
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    if (node.kind === "session") return sessionItem(node);
    if (node.kind === "temporary") return temporaryItem(node);
    if (node.kind === "more") {
      const item = new vscode.TreeItem(`Show More (${node.hidden} left)`);
      item.command = { command: "tiller.loadMoreSessions", title: "Show More" };
      return item;
    }
    const item = new vscode.TreeItem(node.title, vscode.TreeItemCollapsibleState.Expanded);
    item.id = `group ${node.title}`;
    return item;
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
        state: hub.stateOf(chat),
      }));
  }

  async #load(limit: number): Promise<void> {
    this.#page = (await this.#history.list({ limit })) ?? this.#page;
  }

  #chatsChanged(): void {
    const { hub } = this.#chats;
    const seen = hub.chats.map((chat) => `${chat.session.file} ${hub.stateOf(chat)} ${chat.session.title}`).join("\n");
    if (seen === this.#seen) return;
    this.#seen = seen;
    if (this.#page === undefined) return;
    this.#changed.fire(undefined);
    this.reload();
  }
}

function sessionItem(node: Extract<SessionNode, { kind: "session" }>): vscode.TreeItem {
  const { summary } = node.row;
  const title = sessionTitle(summary);
  const item = new vscode.TreeItem(title);
  const words = stateWords(node.row);
  const age = shortAge(summary.modifiedAt, Date.now());
  item.id = summary.path;
  item.description = words === "" ? age : `${age} · ${words}`;
  item.iconPath = sessionIcon(node.row);
  item.contextValue = summary.problem === undefined ? "session" : "brokenSession";
  item.tooltip = sessionTooltip(node.row);
  item.accessibilityInformation = { label: [title, words, age].filter((part) => part !== "").join(", ") };
  if (summary.problem === undefined) {
    item.command = { command: "tiller.openSession", title: "Open Session", arguments: [node] };
  }
  return item;
}

function temporaryItem(node: Extract<SessionNode, { kind: "temporary" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(node.title);
  item.description = `not saved · ${STATE_WORDS[node.state]}`;
  item.iconPath = stateIcon(node.state);
  item.tooltip = "A temporary chat: nothing of it is saved, and it is gone with the window.";
  item.accessibilityInformation = { label: `${node.title}, not saved, ${STATE_WORDS[node.state]}` };
  item.command = { command: "tiller.openSession", title: "Open Chat", arguments: [{ kind: node.kind, key: node.key }] };
  return item;
}

/** How a session stands, for people; empty when there is nothing to say. */
export function stateWords({ summary, state, isElsewhere }: SessionRow): string {
  if (summary.problem !== undefined) return "cannot be read";
  if (isElsewhere) return "in use elsewhere";
  return state === undefined ? "" : STATE_WORDS[state];
}

const STATE_ICONS: { readonly [S in ChatState]: readonly [icon: string, color?: string] } = {
  asking: ["bell-dot", "list.warningForeground"],
  running: ["loading~spin"],
  failed: ["error", "list.errorForeground"],
  done: ["pass-filled", "testing.iconPassed"],
  idle: ["circle-filled"],
  stopped: ["circle-outline"],
};

/** The dot before a session. */
export function sessionIcon({ summary, state, isElsewhere }: SessionRow): vscode.ThemeIcon {
  if (summary.problem !== undefined) return new vscode.ThemeIcon("warning");
  if (isElsewhere) return new vscode.ThemeIcon("lock");
  return state === undefined ? new vscode.ThemeIcon("comment") : stateIcon(state);
}

function stateIcon(state: ChatState): vscode.ThemeIcon {
  const [icon, color] = STATE_ICONS[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function sessionTooltip({ summary }: SessionRow): string {
  const { problem, firstMessage, messageCount, model, path } = summary;
  const facts = [messageCount === undefined ? "" : `${messageCount} messages`, model ?? ""].filter(
    (fact) => fact !== "",
  );
  return [problem, firstMessage, facts.join(", "), path].filter((line) => line).join("\n");
}
