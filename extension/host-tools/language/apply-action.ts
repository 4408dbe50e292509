import * as vscode from "vscode";
import { applyEdit } from "../files/apply-edit.ts";
import { FollowingEdits } from "../files/following-edits.ts";
import type { HostToolContext } from "../host-tool.ts";
import { count } from "../listing.ts";
import { isForUser } from "./user-commands.ts";

/** Does what a code action for a file does: its edit, then its command. @returns lines that say what was changed. */
export async function applyAction(
  { edit, command }: vscode.CodeAction,
  uri: vscode.Uri,
  context: HostToolContext,
): Promise<string[]> {
  const lines = edit === undefined ? [] : await applyEdit(edit, context);
  if (command === undefined) return lines;
  if (isForUser(command)) return [...lines, "It would ask the user for more now, which was left out."];
  const paths = edit === undefined ? [] : [uri.fsPath];
  const changed = await context.recordChanges(paths, async () => {
    const edits = new FollowingEdits();
    try {
      await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
      return await edits.saved(context.token, 0);
    } finally {
      edits.dispose();
    }
  });
  return changed.length === 0 ? lines : [...lines, `Changed ${count(changed.length, "file")}: ${changed.join(", ")}.`];
}

/** Whether a code action can do anything without the user. */
export function isApplicable({ edit, command, disabled }: vscode.CodeAction): boolean {
  return disabled === undefined && (edit !== undefined || (command !== undefined && !isForUser(command)));
}
