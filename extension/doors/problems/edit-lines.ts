import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { errorMessage } from "../../../agent/protocol/errors.ts";
import { t } from "../../../webview/l10n.ts";
import type { ContextBlock } from "../../../webview/protocol/context.ts";
import { keepStart } from "../../core/mentions/cut-text.ts";
import { readLines } from "../../features/composer/context-reader.ts";
import { nameOf } from "../../features/composer/places.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { recordChanges } from "../../host/host-tools/editor-link.ts";
import { changeFiles, type EditContext } from "../../host/host-tools/files/apply-edit.ts";
import { askQuietly } from "../../window/ask-quietly.ts";
import type { Chats } from "../../window/chats.ts";
import { NoModel } from "../../window/quiet-runs.ts";
import { codeIn } from "./code-in.ts";
import { linesOf } from "./lines-of.ts";

/** Lines before and after the edited ones that the model sees. */
const LINES_AROUND = 200;

/** The number of attempts at an edit while the user types in the file, and the wait between two attempts in milliseconds. */
const ATTEMPTS = 10;
const PAUSE_MS = 300;

interface EditServices {
  readonly chats: Chats;
  readonly changes: ChangeTracker;
  readonly log: vscode.LogOutputChannel;
}

/** Lines of a file as they are when the user is asked. */
interface Lines {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
  readonly text: string;
  /** The lines as people name them. */
  readonly place: string;
  /** The lines with those around them, then the lines alone. */
  readonly blocks: readonly ContextBlock[];
}

/**
 * Asks the user for a change, lets the model rewrite the selected lines, or the line of the cursor, and puts the result in their place, where it
 * is reviewed like other changes of the agent. A failure offers to ask again.
 * @param wording the change as the user described it before. @throws Error for people when there are no lines.
 */
export async function editLines(services: EditServices, wording = ""): Promise<void> {
  const lines = await selectedLines();
  const wanted = await askFor(lines.place, wording);
  if (wanted === undefined) return;
  try {
    await rewrite(lines, wanted, services);
  } catch (error) {
    services.log.error(`Editing the selection failed: ${errorMessage(error)}`);
    if (await isWantedAgain(error)) {
      await selectAgain(lines);
      await editLines(services, wanted);
    }
  }
}

/** Shows the lines and selects them; if they have changed, the selection that the file has. */
async function selectAgain(lines: Lines): Promise<void> {
  const document = await vscode.workspace.openTextDocument(lines.uri);
  const selection = findLines(lines, document);
  await vscode.window.showTextDocument(document, selection === undefined ? {} : { selection });
}

/** Tells the user what failed, and offers to remove the reason. @returns true if the user wants to try again. */
async function isWantedAgain(error: unknown): Promise<boolean> {
  const again = error instanceof NoModel ? t("Set Up a Model") : t("Retry");
  const chosen = await vscode.window.showErrorMessage(errorMessage(error), again);
  if (chosen !== again) return false;
  if (error instanceof NoModel) await vscode.commands.executeCommand(error.command);
  return true;
}

async function selectedLines(): Promise<Lines> {
  const { activeTextEditor: editor } = vscode.window;
  if (editor?.document.uri.scheme !== "file") throw new Error(t("Open a file and select code first."));
  const { document, selection } = editor;
  const { uri } = document;
  const { startLine, endLine } = linesOf(selection);
  const range = new vscode.Range(startLine - 1, 0, endLine - 1, document.lineAt(endLine - 1).text.length);
  const text = document.getText(range);
  if (keepStart(text).isCut) throw new Error(t("The selection is too long to rewrite. Select fewer lines."));
  const around = { startLine: Math.max(1, startLine - LINES_AROUND), endLine: endLine + LINES_AROUND };
  const blocks = await Promise.all([around, { startLine, endLine }].map((part) => readLines(uri, part)));
  const place = `${nameOf(uri)}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`;
  return { uri, range, text, place, blocks };
}

async function askFor(place: string, value: string): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: t("Edit {0}", place),
    prompt: t("Describe the change; you can keep or undo the result"),
    value,
    ignoreFocusOut: true,
  });
  return answer?.trim() === "" ? undefined : answer?.trim();
}

async function rewrite(lines: Lines, wanted: string, { chats, changes }: EditServices): Promise<void> {
  const { uri, place, blocks } = lines;
  const { focused } = chats;
  const folder = vscode.workspace.getWorkspaceFolder(uri)?.uri.fsPath ?? focused.session.folder;
  const question = { template: "edit-lines", args: wanted, blocks, folder };
  const answer = await askQuietly(t("Editing {0}…", place), question, chats);
  if (answer === undefined) return;
  const code = codeIn(answer);
  if (code === lines.text.replaceAll("\r\n", "\n")) {
    void vscode.window.showInformationMessage(t("The model left {0} as it is.", place));
    return;
  }
  const call = { session: focused.session.key, toolName: "edit", toolCallId: randomUUID(), folder };
  const context: EditContext = { recordChanges: (paths, work) => recordChanges(changes, call, paths, work) };
  await changeFiles([uri], context, (areSaved) => replaceLines(lines, code, areSaved));
}

/**
 * Replaces the lines with the code and saves the file if requested. The editor rejects an edit if the user has changed the text in the meantime, so
 * the lines are then searched for again.
 * @throws Error for people when the lines have changed, or the editor rejects every edit. Then nothing is replaced.
 */
async function replaceLines(lines: Lines, code: string, isRefactoring: boolean): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await sleep(PAUSE_MS);
    // The file may have been closed and reopened.
    const range = findLines(lines, await vscode.workspace.openTextDocument(lines.uri));
    if (range === undefined) {
      throw new Error(t("The code changed while the model was writing, so nothing was replaced. Try again."));
    }
    const edit = new vscode.WorkspaceEdit();
    edit.replace(lines.uri, range, code);
    if (await vscode.workspace.applyEdit(edit, { isRefactoring })) return;
  }
  throw new Error(t("Couldn't apply the change in the editor."));
}

/** Returns the lines where they are now: the user may have typed above them. Undefined when they have changed. */
function findLines({ text, range }: Lines, document: vscode.TextDocument): vscode.Range | undefined {
  if (document.getText(range) === text) return range;
  const whole = document.getText();
  const at = whole.indexOf(text);
  if (text.trim() === "" || at === -1 || whole.includes(text, at + 1)) return undefined;
  return new vscode.Range(document.positionAt(at), document.positionAt(at + text.length));
}
