import * as vscode from "vscode";
import * as z from "zod";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import type { SessionSummary } from "../../../agent/protocol/history.ts";
import { t } from "../../../webview/l10n.ts";
import { isAtWork } from "../../../webview/protocol/ui.ts";
import type { Chat } from "../../chat/chat.ts";
import type { Chats } from "../../window/chats.ts";
import { exportSession } from "./export-session.ts";
import { type HistoryActions, showHistory } from "./history-picker.ts";
import type { SessionHistory, SessionRow } from "./session-history.ts";
import type { SessionMark } from "./session-marks.ts";
import type { SessionTree } from "./session-tree.ts";
import { sessionTitle } from "./session-words.ts";

interface SessionServices {
  readonly chats: Chats;
  readonly history: SessionHistory;
  readonly tree: SessionTree;
  readonly log: vscode.LogOutputChannel;
}

/** Returns the commands for the sessions of the project, by id. Those for one session get a line of the tree. */
export function sessionCommands(services: SessionServices): Record<string, (argument: unknown) => unknown> {
  const actions = sessionActions(services);
  const { chats, history, tree } = services;
  /** Without a line of the tree, lets the user choose a session in the list first. */
  const onRow = (act: (row: SessionRow) => Promise<unknown>) => (argument: unknown) => {
    const line = ChosenLine.safeParse(argument).data;
    const row = line && tree.find(line.row.summary.path);
    return row === undefined ? showHistory(history, actions) : act(row);
  };
  const marking = (mark: SessionMark | undefined) => (argument: unknown) => {
    const line = ChosenLine.safeParse(argument).data;
    if (line !== undefined) tree.mark(line.row.summary.path, mark);
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
    "tiller.pinSession": marking("pinned"),
    "tiller.archiveSession": marking("archived"),
    "tiller.unpinSession": marking(undefined),
    "tiller.unarchiveSession": marking(undefined),
  };
}

/** The argument that the editor passes to a command of a line of the tree. */
const ChosenLine = z.object({
  kind: z.literal("session"),
  row: z.object({ summary: z.object({ path: z.string() }) }),
});

const TemporaryLine = z.object({ kind: z.literal("temporary"), key: z.string() });

function sessionActions({ chats, history, tree, log }: SessionServices): HistoryActions {
  const open = async ({ summary, isElsewhere }: SessionRow): Promise<Chat | undefined> => {
    if (isElsewhere && !(await confirmElsewhere())) return undefined;
    const chat =
      history.chatOf(summary) ?? chats.hub.open({ key: summary.id, file: summary.path, folder: summary.cwd });
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
      const name = await vscode.window.showInputBox({ title: t("Rename Session"), value: sessionTitle(summary) });
      if (name === undefined || name.trim() === "") return false;
      await history.rename(summary, name);
      tree.reload();
      return true;
    },
    remove: async ({ summary, state }) => {
      if (state !== undefined && (isAtWork(state) || state === "asking") && !(await confirmStop())) return false;
      const chat = history.chatOf(summary);
      if (chat !== undefined) await chats.close(chat);
      const trashId = await history.delete(summary.path);
      tree.reload();
      void offerUndo(summary, trashId, history, tree);
      return true;
    },
    exportPage: ({ summary }) => {
      const chat =
        history.chatOf(summary) ?? chats.hub.open({ key: summary.id, file: summary.path, folder: summary.cwd });
      return exportSession(chat, sessionTitle(summary), chats.hub);
    },
  };
}

async function confirmElsewhere(): Promise<boolean> {
  const anyway = t("Open Anyway");
  const text = t("This session is already open in another agent, for example in another window.");
  const detail = t("You can read it here, but you can't continue it until the other agent stops.");
  return (await vscode.window.showWarningMessage(text, { modal: true, detail }, anyway)) === anyway;
}

async function confirmStop(): Promise<boolean> {
  const stop = t("Stop and Delete");
  const text = t("The agent is still running in this session. Stop it and delete the session?");
  return (await vscode.window.showWarningMessage(text, { modal: true }, stop)) === stop;
}

async function offerUndo(
  summary: SessionSummary,
  trashId: string,
  history: SessionHistory,
  tree: SessionTree,
): Promise<void> {
  const undo = t("Undo");
  const chosen = await vscode.window.showInformationMessage(t('Deleted "{0}".', sessionTitle(summary)), undo);
  if (chosen !== undo) return;
  try {
    await history.restore(trashId);
    tree.reload();
  } catch (error) {
    void vscode.window.showErrorMessage(errorMessage(error));
  }
}
