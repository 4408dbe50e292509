import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { t } from "../../../webview/l10n.ts";
import { keepStart } from "../../core/mentions/cut-text.ts";
import { readLines } from "../../features/composer/context-reader.ts";
import { nameOf } from "../../features/composer/places.ts";
import type { ChangeTracker } from "../../host/changes/change-tracker.ts";
import { recordChanges } from "../../host/host-tools/editor-link.ts";
import { applyEdit } from "../../host/host-tools/files/apply-edit.ts";
import { askQuietly } from "../../window/ask-quietly.ts";
import type { Chats } from "../../window/chats.ts";
import { codeIn } from "./code-in.ts";
import { linesOf } from "./lines-of.ts";

/** Lines before and after the edited ones that the model sees. */
const LINES_AROUND = 200;

interface EditServices {
  readonly chats: Chats;
  readonly changes: ChangeTracker;
}

/**
 * Asks the user for a change, lets the model rewrite the selected lines, or the line of the cursor, and puts the result in their place, where it
 * is reviewed like other changes of the agent. @throws Error for people.
 */
export async function editLines({ chats, changes }: EditServices): Promise<void> {
  const { activeTextEditor: editor } = vscode.window;
  if (editor?.document.uri.scheme !== "file") throw new Error(t("Open a file and select code first."));
  const { document, selection } = editor;
  const { startLine, endLine } = linesOf(selection);
  const lines = new vscode.Range(startLine - 1, 0, endLine - 1, document.lineAt(endLine - 1).text.length);
  const place = `${nameOf(document.uri)}:${startLine === endLine ? startLine : `${startLine}-${endLine}`}`;
  const before = document.getText(lines);
  if (keepStart(before).isCut) throw new Error(t("The selection is too long to rewrite. Select fewer lines."));
  const wanted = await askFor(place);
  if (wanted === undefined) return;
  const around = { startLine: Math.max(1, startLine - LINES_AROUND), endLine: endLine + LINES_AROUND };
  const { folder } = chats.focused.session;
  const blocks = await Promise.all([around, { startLine, endLine }].map((part) => readLines(document.uri, part)));
  const title = t("Editing {0}…", place);
  const answer = await askQuietly(title, { template: "edit-lines", args: wanted, blocks, folder }, chats);
  if (answer === undefined) return;
  const range = placeOf(before, lines, document);
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, codeIn(answer));
  const call = { session: chats.focused.session.key, toolName: "edit", toolCallId: randomUUID(), folder };
  await applyEdit(edit, { recordChanges: (paths, work) => recordChanges(changes, call, paths, work) });
}

async function askFor(place: string): Promise<string | undefined> {
  const answer = await vscode.window.showInputBox({
    title: t("Edit {0}", place),
    prompt: t("Describe what to change. You can keep or undo the result"),
  });
  return answer?.trim() === "" ? undefined : answer?.trim();
}

/** Returns the lines where they are now: the user may have typed above them. @throws Error for people when they have changed. */
function placeOf(text: string, lines: vscode.Range, document: vscode.TextDocument): vscode.Range {
  if (document.getText(lines) === text) return lines;
  const whole = document.getText();
  const at = whole.indexOf(text);
  if (text.trim() === "" || at === -1 || whole.includes(text, at + 1)) {
    throw new Error(t("The code changed while the model was writing, so nothing was replaced. Try again."));
  }
  return new vscode.Range(document.positionAt(at), document.positionAt(at + text.length));
}
