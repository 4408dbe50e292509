import * as vscode from "vscode";
import type { Change } from "../../../agent/changes/change-journal.ts";
import { changesFrom, changesOf, planRewind, type Restored } from "../../../agent/changes/rewind.ts";
import { MessageEntry, type SessionEntry } from "../../../agent/protocol/session-entries.ts";
import type { MadeCall } from "../../../agent/util/made-calls.ts";
import { t } from "../../../webview/l10n.ts";
import type { Chat } from "../../chat/chat.ts";
import { forkFrom } from "../../chat/fork-chat.ts";
import { entryOf } from "../../chat/resend.ts";
import { callsFrom, pathOf, promptsOnPath } from "../../chat/session-entries.ts";
import { describeUri } from "../../editor/workspace-files.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { judgeAll } from "./judge-all.ts";
import { restoreContent } from "./write-text.ts";

/** A message of the user, and the calls from there on. */
interface Point {
  readonly entryId: string;
  /** Unix time in ms of the message, and of the next one; Infinity for the last. */
  readonly from: number;
  readonly to: number;
  /** The calls made from there on; a fork also has calls made in the session that it comes from. */
  readonly calls: readonly MadeCall[];
}

type What = "both" | "files" | "conversation";

/**
 * Goes back to before a message of the user: with the files, the conversation, or both, as they choose. Aborts a run first. The user's own
 * changes of files stay, and changes that cannot be undone are reported. Rejects when the session no longer has the message.
 */
export async function rewindTo(chat: Chat, itemId: string, changes: ChangeTracker): Promise<void> {
  const point = await findPoint(chat, itemId);
  await chat.stop();
  const plan = await planBack(chat, point, changes);
  const what = await askWhat(plan);
  if (what === undefined) return;
  if (what !== "conversation") await restore(chat, point, changes);
  if (what !== "files") await forkFrom(chat, point.entryId);
}

/** Asks for one of the user's messages, and goes back to before it. */
export async function rewindToPicked(chat: Chat, changes: ChangeTracker): Promise<void> {
  const prompts = chat.transcript.items().flatMap((item) => (item.kind === "prompt" ? [item] : []));
  if (prompts.length === 0) throw new Error(t("This session has no messages yet."));
  const rows = prompts
    .map(({ id, text }) => ({ label: text.replace(/\s+/g, " ").trim() || t("(image)"), id }))
    .reverse();
  const chosen = await vscode.window.showQuickPick(rows, {
    title: t("Restore to This Point"),
    placeHolder: t("Select the message to go back to"),
  });
  if (chosen !== undefined) await rewindTo(chat, chosen.id, changes);
}

/** Undoes the changes since the last message of the user. */
export async function undoTurn(chat: Chat, changes: ChangeTracker): Promise<void> {
  const last = chat.transcript.items().findLast(({ kind }) => kind === "prompt");
  if (last === undefined) return;
  const point = await findPoint(chat, last.id);
  const plan = await planBack(chat, point, changes);
  if (plan.length === 0) {
    void vscode.window.showInformationMessage(t("The agent hasn't changed any files since your last message."));
    return;
  }
  await restore(chat, point, changes);
}

/** Returns the changes between a message of the user and the next one, the oldest first. */
export async function changesOfTurn(chat: Chat, itemId: string, changes: ChangeTracker): Promise<readonly Change[]> {
  const point = await findPoint(chat, itemId);
  await changes.idle();
  const { journal } = await changes.open();
  return madeFrom(point, chat, await journal.all()).filter(({ at }) => at < point.to);
}

/** Returns the changes of one tool call, by the model's id of it. */
export async function changesOfCall(
  { session }: Chat,
  callId: string,
  changes: ChangeTracker,
): Promise<readonly Change[]> {
  await changes.idle();
  const { journal } = await changes.open();
  return changesOf(await journal.all(), session.key, callId);
}

async function planBack(chat: Chat, point: Point, changes: ChangeTracker, only?: string): Promise<Restored[]> {
  await changes.idle();
  const { journal, store } = await changes.open();
  const made = madeFrom(point, chat, await journal.all()).filter(({ path }) => only === undefined || path === only);
  return planRewind(made, { store, read: (path) => changes.read(path) });
}

function madeFrom({ from, calls }: Point, { session }: Chat, all: readonly Change[]): Change[] {
  return changesFrom(all, { session: session.key, from, calls });
}

/** Finds the message of an item, or of the prompt that began its turn. */
async function findPoint(chat: Chat, itemId: string): Promise<Point> {
  const { entries, leafId } = await chat.request("get_entries", {});
  const items = chat.transcript.items();
  const at = items.findIndex(({ id }) => id === itemId);
  const prompt = items.slice(0, at + 1).findLast(({ kind }) => kind === "prompt");
  const prompts = promptsOnPath(entries, leafId);
  const entryId = prompt === undefined ? undefined : entryOf(items, prompt.id, prompts);
  if (entryId === undefined) throw new Error(t("This message is no longer in the session."));
  const next = prompts[prompts.findIndex((one) => one.entryId === entryId) + 1];
  const to = next === undefined ? Number.POSITIVE_INFINITY : timeOf(entries, next.entryId);
  return { entryId, from: timeOf(entries, entryId), to, calls: callsFrom(pathOf(entries, leafId), entryId) };
}

function timeOf(entries: readonly SessionEntry[], entryId: string): number {
  const entry = MessageEntry.safeParse(entries.find(({ id }) => id === entryId)).data;
  return entry === undefined ? 0 : entry.message.timestamp;
}

async function askWhat(plan: readonly Restored[]): Promise<What | undefined> {
  const files = plan.length === 1 ? t("1 file") : t("{0} files", plan.length);
  const item = (label: string, what: What, description = "") => ({ label, description, what });
  const conversation = item(t("Chat"), "conversation", t("files stay as they are"));
  const items = [
    item(t("Files and chat"), "both", files),
    item(t("Files"), "files", t("{0}; chat stays as it is", files)),
    conversation,
  ];
  const chosen = await vscode.window.showQuickPick(plan.length === 0 ? [conversation] : items, {
    title: t("Restore to This Point"),
    placeHolder: plan.length === 0 ? t("No files changed since this message") : describe(plan),
  });
  return chosen?.what;
}

function describe(plan: readonly Restored[]): string {
  return plan.map(({ path }) => describeUri(vscode.Uri.file(path))).join(", ");
}

/** Restores files. Each is read right before it is written, since it may have been changed meanwhile. */
async function restore(chat: Chat, point: Point, changes: ChangeTracker): Promise<void> {
  const { book } = await changes.open();
  const left: Restored[] = [];
  const paths = (await planBack(chat, point, changes)).map(({ path }) => path);
  const judged = judgeAll(paths, async (path) => {
    for (const plan of await planBack(chat, point, changes, path)) {
      if (plan.conflicts + plan.lost > 0) left.push(plan);
      if (plan.restored === plan.current) continue;
      await restoreContent(path, plan.restored);
      book.restored(path, plan.restored);
    }
  });
  await judged.finally(() => tellOfLeft(left));
}

function tellOfLeft(left: readonly Restored[]): void {
  if (left.length === 0) return;
  void vscode.window.showWarningMessage(
    t("Couldn't fully restore some files because they changed again or weren't tracked: {0}", describe(left)),
  );
}
