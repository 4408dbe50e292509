import * as vscode from "vscode";
import { formatNumber, t } from "../../../webview/l10n.ts";
import type { ChatStatus } from "../../../webview/protocol/ui.ts";
import { residentBytes } from "./process-memory.ts";
import type { SessionRow } from "./session-history.ts";
import type { SessionMark } from "./session-marks.ts";
import { firstWords, sessionTitle, shortAge, wordState } from "./session-words.ts";

/** A line of the tree. */
export type SessionNode =
  | {
      readonly kind: "group";
      readonly title: string;
      readonly rows: readonly SessionRow[];
      readonly isFolded?: boolean | undefined;
    }
  | { readonly kind: "session"; readonly row: SessionRow; readonly mark?: SessionMark | undefined }
  /** A temporary chat, of which nothing is on disk. */
  | { readonly kind: "temporary"; readonly key: string; readonly title: string; readonly state: ChatStatus }
  | { readonly kind: "more"; readonly hidden: number };

/** Values of `contextValue`, by which menus recognize a session. */
const SESSION_KINDS = { plain: "session", pinned: "pinnedSession", archived: "archivedSession" } as const;
const BYTES_PER_MB = 1_000_000;

/** Returns the tree item of a line. @param isRunning true when an agent runs for it: its tooltip is then resolved on demand. */
export function treeItem(node: SessionNode, isRunning: boolean): vscode.TreeItem {
  switch (node.kind) {
    case "session":
      return sessionItem(node, isRunning);
    case "temporary":
      return temporaryItem(node);
    case "more": {
      const item = new vscode.TreeItem(t("Show More ({0} left)", node.hidden));
      item.command = { command: "tiller.loadMoreSessions", title: t("Show More") };
      return item;
    }
    case "group": {
      const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(node.title, node.isFolded ? Collapsed : Expanded);
      item.id = `group ${node.title}`;
      return item;
    }
  }
}

/** Returns the tooltip of a session with the present memory of its agent. */
export async function memoryTooltip(row: SessionRow, pid: number | undefined): Promise<string> {
  const bytes = pid === undefined ? undefined : await residentBytes(pid);
  const text = sessionTooltip(row);
  if (bytes === undefined) return text;
  const megabytes = formatNumber(bytes / BYTES_PER_MB, { maximumFractionDigits: 0 });
  return `${text}\n${t("Agent: PID {0}, {1}MB memory", String(pid), megabytes)}`;
}

function sessionItem(node: Extract<SessionNode, { kind: "session" }>, isRunning: boolean): vscode.TreeItem {
  const { summary } = node.row;
  const title = sessionTitle(summary);
  const item = new vscode.TreeItem(node.row.isCurrent ? { label: title, highlights: [[0, title.length]] } : title);
  const words = stateWords(node.row);
  const age = shortAge(summary.modifiedAt, Date.now());
  item.id = summary.path;
  item.description = words === "" ? age : `${age} · ${words}`;
  item.iconPath = sessionIcon(node.row);
  item.contextValue = summary.problem === undefined ? SESSION_KINDS[node.mark ?? "plain"] : "brokenSession";
  // Without a tooltip, the view resolves one when the mouse hovers here.
  if (!isRunning) item.tooltip = sessionTooltip(node.row);
  item.accessibilityInformation = { label: [title, words, age].filter((part) => part !== "").join(", ") };
  if (summary.problem === undefined) {
    item.command = { command: "tiller.openSession", title: t("Open Session"), arguments: [node] };
  }
  return item;
}

function temporaryItem(node: Extract<SessionNode, { kind: "temporary" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(node.title);
  item.description = t("not saved · {0}", wordState(node.state));
  item.iconPath = stateIcon(node.state);
  item.tooltip = t("Temporary chat. It isn't saved and will be lost when you close the window.");
  item.accessibilityInformation = { label: t("{0}, not saved, {1}", node.title, wordState(node.state)) };
  item.contextValue = "temporaryChat";
  item.command = {
    command: "tiller.openSession",
    title: t("Open Chat"),
    arguments: [{ kind: node.kind, key: node.key }],
  };
  return item;
}

/** Describes the state of a session for people; empty when there is nothing to say. */
export function stateWords({ summary, state, isElsewhere, isCurrent }: SessionRow): string {
  if (summary.problem !== undefined) return t("can't be read");
  if (isElsewhere) return t("open elsewhere");
  if (state === undefined) return "";
  if (!isCurrent) return wordState(state);
  return state === "idle" || state === "stopped" ? t("current") : t("current, {0}", wordState(state));
}

const STATE_ICONS: { readonly [S in ChatStatus]: readonly [icon: string, color?: string] } = {
  asking: ["bell-dot", "list.warningForeground"],
  starting: ["loading~spin"],
  running: ["loading~spin"],
  stopping: ["loading~spin"],
  crashed: ["error", "list.errorForeground"],
  done: ["pass-filled", "testing.iconPassed"],
  idle: ["circle-filled"],
  stopped: ["circle-outline"],
  untrusted: ["circle-outline"],
  noFolder: ["circle-outline"],
};

/** Returns the icon of a session. */
export function sessionIcon({ summary, state, isElsewhere }: SessionRow): vscode.ThemeIcon {
  if (summary.problem !== undefined) return new vscode.ThemeIcon("warning");
  if (isElsewhere) return new vscode.ThemeIcon("lock");
  return state === undefined ? new vscode.ThemeIcon("comment") : stateIcon(state);
}

function stateIcon(state: ChatStatus): vscode.ThemeIcon {
  const [icon, color] = STATE_ICONS[state];
  return new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
}

function sessionTooltip({ summary }: SessionRow): string {
  const { problem, messageCount, model, path } = summary;
  const facts = [messageCount === undefined ? "" : t("{0} messages", messageCount), model ?? ""].filter(
    (fact) => fact !== "",
  );
  return [problem, firstWords(summary), facts.join(", "), path].filter((line) => line).join("\n");
}
