import * as vscode from "vscode";
import * as z from "zod";
import { describeUri } from "../../editor/workspace-files.ts";
import { findFile } from "./find-file.ts";
import { defineHostTool, type HostTool, HostToolFailed } from "./host-tool.ts";
import { mayBeTypedIn, showingColumn } from "./showing-column.ts";

const line = z.int().positive();
const ADDRESS_ADVICE = "Use the address of a tab from vscode_editor_state, or a file path.";

/** Opens a file beside the conversation without taking the keyboard focus. @param mark highlights lines for the user. */
export function createOpenTool(mark: (document: vscode.TextDocument, range: vscode.Range) => void): HostTool {
  return defineHostTool({
    name: "vscode_open_file",
    label: "Open file",
    description:
      "Shows the user a file, and selects or highlights lines if given. For pointing at code, not for reading it.",
    isReadOnly: true,
    paths: [{ argument: "path", access: "read" }],
    input: z.object({
      path: z.string().min(1),
      startLine: line.optional().describe("from 1"),
      endLine: line.optional(),
      highlight: z.boolean().optional().describe("highlight the lines; the cursor stays"),
    }),
    async run({ path, startLine, endLine, highlight = false }, context) {
      if (highlight && startLine === undefined) throw new HostToolFailed("Give the startLine to highlight from.");
      const uri = await locate(path, context.folder);
      const document = isMadeUp(uri) ? undefined : await openText(uri);
      const viewColumn = showingColumn(context, uri);
      if (document === undefined) {
        if (uri.scheme !== "file") throw new HostToolFailed(`The editor can't open ${path}. ${ADDRESS_ADVICE}`);
        await vscode.commands.executeCommand("vscode.open", uri, { preserveFocus: true, viewColumn });
        return `Opened ${describeUri(uri)} (not a text file).`;
      }
      const range = startLine === undefined ? undefined : linesOf(document, startLine, endLine ?? startLine);
      const isMarked = highlight || mayBeTypedIn(context, uri);
      const editor = await vscode.window.showTextDocument(document, {
        preserveFocus: true,
        viewColumn,
        ...(range === undefined || isMarked ? {} : { selection: range }),
      });
      if (range === undefined) return `Opened ${describeUri(uri)} (${document.lineCount} lines).`;
      editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
      if (isMarked) mark(document, range);
      const done = isMarked ? "marked" : "selected";
      return `Opened ${describeUri(uri)} with lines ${range.start.line + 1}-${range.end.line + 1} of ${document.lineCount} ${done}.`;
    },
  });
}

/** Finds a file by its path, or a document that only the editor can open by its address, such as an unsaved tab. */
function locate(path: string, folder: string): Promise<vscode.Uri> {
  const scheme = /^([a-z][\w+.-]+):/i.exec(path)?.[1]?.toLowerCase();
  if (scheme === undefined) return findFile(path, folder);
  const uri = vscode.Uri.parse(path);
  if (scheme === "file") return findFile(uri.fsPath, folder);
  return findFile(path, folder).catch(() => uri); // names of files may contain a colon
}

/** Finds a document that only the editor can open, by its address; undefined when it is gone or `address` is not such an address. */
export async function findByAddress(address: string): Promise<vscode.Uri | undefined> {
  if (!/^(?!file:)[a-z][\w+.-]+:\S/i.test(address)) return undefined;
  const uri = vscode.Uri.parse(address);
  return isMadeUp(uri) || (await openText(uri)) === undefined ? undefined : uri;
}

/** True for an untitled address that no document has: the editor would open a new tab for any such name. */
function isMadeUp(uri: vscode.Uri): boolean {
  const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
  return uri.scheme === "untitled" && !isOpen;
}

/** Resolves to `undefined` for a file that has no text to show, such as an image. */
async function openText(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    // The editor does not say why; it may still have another way to show the file.
    return undefined;
  }
}

function linesOf(document: vscode.TextDocument, startLine: number, endLine: number): vscode.Range {
  const last = document.lineCount - 1;
  const start = Math.min(startLine - 1, last);
  const end = Math.min(Math.max(endLine - 1, start), last);
  return new vscode.Range(new vscode.Position(start, 0), document.lineAt(end).range.end);
}
