import * as vscode from "vscode";
import { z } from "zod";
import { errorMessage } from "../../agent/protocol/errors.ts";
import type { SessionSummary } from "../../agent/protocol/history.ts";
import type { Chat } from "../chat.ts";
import type { Chats } from "../chats/chats.ts";
import { sessionFolder } from "../launch.ts";
import { type HistoryActions, showHistory } from "./history-picker.ts";
import type { SessionHistory, SessionRow } from "./session-history.ts";
import type { SessionTree } from "./session-tree.ts";
import { sessionTitle } from "./session-words.ts";

interface SessionServices {
  readonly chats: Chats;
  readonly history: SessionHistory;
  readonly tree: SessionTree;
  readonly log: vscode.LogOutputChannel;
}

/** The commands about the sessions of the project, by id. Those about one session get a line of the tree. */
export function sessionCommands(services: SessionServices): Record<string, (argument: unknown) => unknown> {
  const actions = sessionActions(services);
  const { chats, history, tree } = services;
  /** Without a line of the tree a session is chosen in the list first. */
  const onRow = (act: (row: SessionRow) => Promise<unknown>) => (argument: unknown) => {
    const line = ChosenLine.safeParse(argument).data;
    const row = line && tree.find(line.row.summary.path);
    return row === undefined ? showHistory(history, actions) : act(row);
  };
  return {
    "tiller.showHistory": () => showHistory(history, actions),
    "tiller.refreshSessions": () => tree.reload(),
    "tiller.loadMoreSessions": () => tree.loadMore(),
    "tiller.openSession": (argument) => {
      const key = TemporaryLine.safeParse(argument).data?.key;
      const chat = chats.hub.chats.find(({ session }) => session.key === key);
      return chat === undefined ? onRow(actions.open)(argument) : chats.showAtSide(chat);
    },
    "tiller.openSessionInEditor": onRow(actions.openInEditor),
    "tiller.renameSession": onRow(actions.rename),
    "tiller.deleteSession": onRow(actions.remove),
    "tiller.exportSession": onRow(actions.exportPage),
  };
}

/** What the editor hands to a command of a line of the tree. */
const ChosenLine = z.object({
  kind: z.literal("session"),
  row: z.object({ summary: z.object({ path: z.string() }) }),
});

const TemporaryLine = z.object({ kind: z.literal("temporary"), key: z.string() });

function sessionActions({ chats, history, tree, log }: SessionServices): HistoryActions {
  const open = async ({ summary, isElsewhere }: SessionRow): Promise<Chat | undefined> => {
    if (isElsewhere && !(await confirmElsewhere())) return undefined;
    const chat = history.chatOf(summary) ?? chats.hub.open({ key: summary.id, file: summary.path });
    history.preview(chat, summary.path).catch((error: unknown) => {
      log.warn(`A session could not be shown before its agent runs: ${errorMessage(error)}`);
    });
    return chat;
  };
  return {
    open: async (row) => {
      const chat = await open(row);
      if (chat !== undefined) await chats.showAtSide(chat);
    },
    openInEditor: async (row) => {
      const chat = await open(row);
      if (chat !== undefined) chats.showInTab(chat);
    },
    rename: async ({ summary }) => {
      const name = await vscode.window.showInputBox({ title: "Rename Session", value: sessionTitle(summary) });
      if (name === undefined || name.trim() === "") return false;
      await history.rename(summary, name);
      tree.reload();
      return true;
    },
    remove: async ({ summary, state }) => {
      if ((state === "running" || state === "asking") && !(await confirmStop())) return false;
      const chat = history.chatOf(summary);
      if (chat !== undefined) await chats.close(chat);
      const trashId = await history.delete(summary.path);
      tree.reload();
      void offerUndo(summary, trashId, history, tree);
      return true;
    },
    exportPage: ({ summary }) => exportPage(summary, chats, history),
  };
}

async function confirmElsewhere(): Promise<boolean> {
  const anyway = "Open Anyway";
  const text = "Another agent has this session open, in another window for example.";
  const detail = "What was said can be read. The agent of this window cannot go on with it before the other one ends.";
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, anyway)) === anyway;
}

async function confirmStop(): Promise<boolean> {
  const stop = "Stop and Delete";
  const text = "The agent is at work in this session.";
  return (await vscode.window.showWarningMessage(text, { modal: true }, stop)) === stop;
}

async function offerUndo(
  summary: SessionSummary,
  trashId: string,
  history: SessionHistory,
  tree: SessionTree,
): Promise<void> {
  const undo = "Undo";
  const chosen = await vscode.window.showInformationMessage(`Deleted "${sessionTitle(summary)}".`, undo);
  if (chosen !== undo) return;
  try {
    await history.restore(trashId);
    tree.reload();
  } catch (error) {
    void vscode.window.showErrorMessage(errorMessage(error));
  }
}

async function exportPage(summary: SessionSummary, chats: Chats, history: SessionHistory): Promise<void> {
  const name = sessionTitle(summary)
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .slice(0, 60);
  const target = await vscode.window.showSaveDialog({
    title: "Export Session",
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(sessionFolder()), `${name || "session"}.html`),
    filters: { "Web page": ["html"] },
  });
  if (target === undefined) return;
  const chat = history.chatOf(summary) ?? chats.hub.open({ key: summary.id, file: summary.path });
  await chats.hub.hold(chat, () => chat.request("export_html", { outputPath: target.fsPath }));
  const open = "Open";
  const chosen = await vscode.window.showInformationMessage(`Exported to ${target.fsPath}.`, open);
  if (chosen === open) await vscode.env.openExternal(target);
}
