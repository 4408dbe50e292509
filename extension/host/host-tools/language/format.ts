import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../../editor/workspace-files.ts";
import { applyEdit, changeFiles } from "../files/apply-edit.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostToolContext } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import { mayBeTypedIn, showingColumn } from "../showing-column.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";

const lineArgument = z.int().positive().optional();

/** Formats a file or a part of it. */
export const formatFile = defineHostTool({
  name: "vscode_format",
  label: "Format",
  description: "Formats a file, or lines of it, with the project's settings.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  approval: "edit",
  input: z.object({
    path: z.string().min(1),
    startLine: lineArgument,
    endLine: lineArgument,
  }),
  async run({ path, startLine, endLine }, context) {
    const document = await openForLanguage(await findFile(path, context.folder), context.token);
    const range = linesOf(document, startLine, endLine);
    const asChosen = range === undefined ? await formatAsChosen(document, context) : undefined;
    const already = `${describeUri(document.uri)} is already formatted`;
    if (asChosen !== undefined) return asChosen[0] ?? `${already}.`;
    const [line] = await formatAsOffered(document, range, context);
    // The editor does not tell whether a formatter had nothing to change or none exists.
    const told = line ?? `${already}, or the editor has no formatter for ${document.languageId}.`;
    const chosen = chosenFormatter(document);
    if (chosen === undefined) return told;
    return `${told} Not by ${chosen}, which the settings choose: the editor asks it only for a whole file that can be brought to the front.`;
  },
});

/** The requested lines; undefined for all. */
function linesOf(document: vscode.TextDocument, startLine?: number, endLine?: number): vscode.Range | undefined {
  if (startLine === undefined && endLine === undefined) return undefined;
  return wholeLines(document, startLine ?? 1, endLine ?? startLine);
}

/**
 * Formats with the formatter that the settings of the language choose, which the editor runs only on a visible file.
 * @returns undefined when none is chosen, or the file cannot be brought to the front.
 */
async function formatAsChosen(document: vscode.TextDocument, context: HostToolContext): Promise<string[] | undefined> {
  const { uri } = document;
  if (chosenFormatter(document) === undefined || mayBeTypedIn(context, uri)) return undefined;
  const viewColumn = showingColumn(context, uri);
  // The editor formats the active file. While the user types in another group, this file doesn't become active.
  if (viewColumn !== vscode.window.tabGroups.activeTabGroup.viewColumn) return undefined;
  await vscode.window.showTextDocument(document, { preserveFocus: true, preview: true, viewColumn });
  if (vscode.window.activeTextEditor?.document !== document) return undefined;
  return changeFiles([uri], context, async () => {
    await vscode.commands.executeCommand("editor.action.formatDocument");
  });
}

/** Returns the formatter set for this very language: one set for all languages may not support it, and the editor would ask the user. */
function chosenFormatter(document: vscode.TextDocument): string | undefined {
  const found = vscode.workspace.getConfiguration("editor", document).inspect<unknown>("defaultFormatter");
  const chosen =
    found?.workspaceFolderLanguageValue ?? found?.workspaceLanguageValue ?? found?.globalLanguageValue ?? undefined;
  return typeof chosen === "string" && vscode.extensions.getExtension(chosen) !== undefined ? chosen : undefined;
}

/** Formats with the editor's first formatter. */
async function formatAsOffered(
  document: vscode.TextDocument,
  range: vscode.Range | undefined,
  context: HostToolContext,
): Promise<string[]> {
  const { uri } = document;
  const edits = await findFormat(document, range, context.token);
  if (edits === undefined || edits.length === 0) return [];
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, edits);
  return applyEdit(edit, context);
}

async function findFormat(
  document: vscode.TextDocument,
  range: vscode.Range | undefined,
  token: vscode.CancellationToken,
): Promise<vscode.TextEdit[] | undefined> {
  const { uri } = document;
  const { tabSize, insertSpaces } = vscode.workspace.getConfiguration("editor", document);
  const options = {
    tabSize: typeof tabSize === "number" ? tabSize : 4,
    insertSpaces: typeof insertSpaces === "boolean" ? insertSpaces : true,
  };
  if (range === undefined) return askLanguage(token, "vscode.executeFormatDocumentProvider", uri, options);
  return askLanguage(token, "vscode.executeFormatRangeProvider", uri, range, options);
}
