import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostToolContext, HostToolFailed } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import { reportText } from "../listing.ts";
import { applyEdit } from "./apply-edit.ts";

const position = z.int().positive();

const Replacement = z.object({
  path: z.string().min(1),
  startLine: position.describe("from 1"),
  startColumn: position.default(1),
  endLine: position,
  endColumn: position.optional().describe("exclusive; default the line's end"),
  newText: z.string(),
  version: z.int().optional().describe("from vscode_editor_state"),
});

/** Changes several files in one step. */
export const applyWorkspaceEdit = defineHostTool({
  name: "vscode_apply_edit",
  label: "Apply edit",
  description:
    "Replaces ranges, counted before the edit, in several files in one step. If you can name the old text, use edit.",
  isReadOnly: false,
  paths: [{ argument: "edits[].path", access: "write" }],
  approval: "edit",
  input: z.object({
    edits: z.array(Replacement).min(1).max(500),
    preview: z.boolean().default(false).describe("let the user choose what to apply"),
  }),
  async run({ edits, preview }, context) {
    const edit = new vscode.WorkspaceEdit();
    const ranges = new Map<string, vscode.Range[]>();
    for (const one of edits) {
      const document = await vscode.workspace.openTextDocument(await findFile(one.path, context.folder));
      const about = preview ? { needsConfirmation: true, label: "Edit of the agent" } : undefined;
      const range = rangeOf(document, one);
      const others = ranges.get(document.uri.toString()) ?? [];
      refuseOverlap(document, range, others);
      ranges.set(document.uri.toString(), [...others, range]);
      edit.replace(document.uri, range, one.newText, about);
    }
    const lines = await (preview ? applyWithPreview(edit, context) : applyEdit(edit, context));
    if (lines.length === 0) return "The files already have that, or the user applied none of it.";
    return reportText("Applied:", lines);
  },
});

/** Applies an edit after a preview. When the call is cancelled, the preview is discarded and nothing is applied. */
async function applyWithPreview(edit: vscode.WorkspaceEdit, context: HostToolContext): Promise<string[]> {
  const listener = context.token.onCancellationRequested(() => {
    vscode.commands.executeCommand("refactorPreview.discard").then(undefined, context.failed);
  });
  try {
    return await applyEdit(edit, context);
  } finally {
    listener.dispose();
  }
}

/** Refuses overlapping edits with a reason; the editor would refuse them without one. */
function refuseOverlap({ uri }: vscode.TextDocument, range: vscode.Range, others: readonly vscode.Range[]): void {
  const other = others.find(({ start, end }) => start.isBefore(range.end) && range.start.isBefore(end));
  if (other === undefined) return;
  const places = [other, range].map(({ start, end }) => `lines ${start.line + 1}-${end.line + 1}`).join(" and ");
  throw new HostToolFailed(`Two edits in ${describeUri(uri)} overlap, at ${places}. Combine them into one edit.`);
}

function rangeOf(document: vscode.TextDocument, wanted: z.infer<typeof Replacement>): vscode.Range {
  const { startLine, startColumn, endLine, endColumn, version } = wanted;
  const file = describeUri(document.uri);
  if (version !== undefined && version !== document.version) {
    throw new HostToolFailed(`${file} has version ${document.version} by now, not ${version}. Read it again.`);
  }
  const whole = wholeLines(document, startLine, endLine);
  if (endLine === startLine && endColumn !== undefined && endColumn < startColumn) {
    throw new HostToolFailed(`${file}:${startLine}: endColumn ${endColumn} is before startColumn ${startColumn}.`);
  }
  const end = endColumn === undefined ? whole.end : new vscode.Position(endLine - 1, endColumn - 1);
  return document.validateRange(new vscode.Range(new vscode.Position(startLine - 1, startColumn - 1), end));
}
