import * as vscode from "vscode";
import { applyEdit } from "../files/apply-edit.ts";
import { FollowingEdits } from "../files/following-edits.ts";
import type { HostToolContext } from "../host-tool.ts";
import { count } from "../listing.ts";
import { isForUser } from "./user-commands.ts";

/** Applies a code action for a file: its edit, then its command. @returns lines that describe the changes. */
export async function applyAction(
  { edit, command }: vscode.CodeAction,
  uri: vscode.Uri,
  context: HostToolContext,
): Promise<string[]> {
  const lines = edit === undefined ? [] : await applyEdit(edit, context);
  if (command === undefined) return lines;
  if (isForUser(command)) return [...lines, "It would ask the user for more now, which was left out."];
  const run = () => runCommand(command, context);
  // A command may change any file. That of the action is recorded too, since the folder's record leaves some out, such as files that git ignores.
  const changed = await context.recordChanges([], () =>
    edit === undefined ? run() : context.recordChanges([uri.fsPath], run),
  );
  return changed.length === 0 ? lines : [...lines, `Changed ${count(changed.length, "file")}: ${changed.join(", ")}.`];
}

/** Runs a command and saves its changes. @returns the names of the changed files. */
async function runCommand(command: vscode.Command, { token }: HostToolContext): Promise<string[]> {
  const edits = new FollowingEdits();
  try {
    await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
    return await edits.saved(token, 0);
  } finally {
    edits.dispose();
  }
}

/** True when a code action can be applied without the user's input. */
export function isApplicable({ edit, command, disabled }: vscode.CodeAction): boolean {
  return disabled === undefined && (edit !== undefined || (command !== undefined && !isForUser(command)));
}
