import * as vscode from "vscode";
import * as z from "zod";
import { applyEdit, type EditContext } from "../files/apply-edit.ts";
import { defineHostTool, type HostTool, HostToolFailed } from "../host-tool.ts";
import { wholeLines } from "../lines.ts";
import type { ProblemWatch } from "../problem-watch.ts";
import { describeUri, findFile } from "../workspace-files.ts";
import { applyAction, isApplicable } from "./apply-action.ts";
import { askLanguage } from "./ask-language.ts";
import { openForLanguage } from "./language-ready.ts";

const pathArgument = z.string().min(1);
const lineArgument = z.int().positive().optional();

/** Formats a file or a part of it. */
export const formatFile = defineHostTool({
  name: "vscode_format",
  label: "Format",
  description: "Formats a file, or lines of it, as the project is set up.",
  isReadOnly: false,
  approval: "edit",
  input: z.object({
    path: pathArgument,
    startLine: lineArgument,
    endLine: lineArgument,
  }),
  async run({ path, startLine, endLine }, context) {
    const document = await openForLanguage(await findFile(path, context.folder), context.token);
    const edits = await findFormat(document, linesOf(document, startLine, endLine), context.token);
    const where = describeUri(document.uri);
    if (edits === undefined) {
      throw new HostToolFailed(`The editor has no formatter for ${where} (${document.languageId}). Use bash or edit.`);
    }
    return (await applyTo(document.uri, edits, context)) ?? `${where} is formatted already.`;
  },
});

const KINDS = {
  organizeImports: vscode.CodeActionKind.SourceOrganizeImports,
  fixAll: vscode.CodeActionKind.SourceFixAll,
} as const;

/** Applies what language services can do to a whole file by themselves. */
export function createTidyTool(problems: ProblemWatch): HostTool {
  return defineHostTool({
    name: "vscode_tidy",
    label: "Tidy file",
    description: "Organizes imports, or applies all safe fixes of linters.",
    isReadOnly: false,
    approval: "edit",
    input: z.object({ path: pathArgument, what: z.enum(["organizeImports", "fixAll"]) }),
    async run({ path, what }, context) {
      const document = await openForLanguage(await findFile(path, context.folder), context.token);
      const { uri } = document;
      if (what === "fixAll") await problems.lookThrough(uri, context.token); // fixes belong to problems
      const offered = () =>
        askLanguage<vscode.CodeAction[] | undefined>(
          context.token,
          "vscode.executeCodeActionProvider",
          uri,
          new vscode.Range(0, 0, document.lineCount, 0),
          KINDS[what].value,
          MAX_RESOLVED,
        );
      const lines: string[] = [];
      const done = new Set<string>();
      for (;;) {
        // What one service has changed moves what another would change, so each is asked for the text as it is then.
        const actions = ((await offered()) ?? []).filter(isApplicable);
        const next = actions.find(({ title }) => !done.has(title));
        if (next === undefined) break;
        done.add(next.title);
        lines.push(...(await applyAction(next, uri, context)));
      }
      return lines.length === 0 ? `${describeUri(uri)}: nothing to do.` : lines.join("\n");
    },
  });
}

const MAX_RESOLVED = 20;

/** The lines that are meant; undefined for all. */
function linesOf(document: vscode.TextDocument, startLine?: number, endLine?: number): vscode.Range | undefined {
  if (startLine === undefined && endLine === undefined) return undefined;
  return wholeLines(document, startLine ?? 1, endLine ?? startLine);
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

async function applyTo(uri: vscode.Uri, edits: vscode.TextEdit[], context: EditContext): Promise<string | undefined> {
  if (edits.length === 0) return undefined;
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri, edits);
  const [line] = await applyEdit(edit, context);
  return line;
}
