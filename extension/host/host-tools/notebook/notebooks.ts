import * as vscode from "vscode";
import * as z from "zod";
import type { ToolResultPayload } from "../../../../agent/protocol/host-tools.ts";
import { describeUri } from "../../../editor/workspace-files.ts";
import { findFile } from "../find-file.ts";
import { defineHostTool, type HostToolContext, HostToolFailed, textResult } from "../host-tool.ts";
import { count, listText, nextArgument } from "../listing.ts";
import { showingColumn } from "../showing-column.ts";

const MAX_OUTPUT_CHARS = 2_000;
const MAX_IMAGES = 4;
const MAX_IMAGE_BYTES = 3_500_000;
/** Maximum time to wait for a cell, in milliseconds. */
const RUN_WAIT_MS = 120_000;

const pathArgument = z.string().min(1);
const cellArgument = z.int().min(0).describe("from 0");
const IMAGE_TYPES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Shows the cells and outputs of a notebook. */
export const readNotebook = defineHostTool({
  name: "vscode_read_notebook",
  label: "Read notebook",
  description: "Shows a notebook's cells with their numbers, source, and text output.",
  isReadOnly: true,
  paths: [{ argument: "path", access: "read" }],
  need: "notebook",
  input: z.object({ path: pathArgument, next: nextArgument }),
  async run({ path, next }, context) {
    const notebook = await openNotebook(path, context);
    const lines = notebook
      .getCells()
      .flatMap((cell) => [
        `--- cell ${cell.index} (${cell.kind === vscode.NotebookCellKind.Code ? cell.document.languageId : "markdown"})`,
        ...cell.document.getText().split("\n"),
        ...outputLines(cell),
      ]);
    return listText({ title: `${describeUri(notebook.uri)}, ${count(notebook.cellCount, "cell")}:`, lines, next });
  },
});

/** Changes cells of a notebook. */
export const editNotebook = defineHostTool({
  name: "vscode_edit_notebook",
  label: "Edit notebook",
  description: "Replaces or deletes a cell, or inserts one before it, and saves unless there were unsaved changes.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  need: "notebook",
  approval: "edit",
  input: z.object({
    path: pathArgument,
    what: z.enum(["replace", "insert", "delete"]),
    cell: cellArgument.describe("from 0"),
    source: z.string().default(""),
    kind: z.enum(["code", "markdown"]).default("code"),
    language: z.string().optional(),
  }),
  async run({ path, what, cell, source, kind, language }, context) {
    const notebook = await openNotebook(path, context);
    const last = what === "insert" ? notebook.cellCount : notebook.cellCount - 1;
    if (cell > last) throw new HostToolFailed(noCell(notebook, cell));
    const hadUnsaved = notebook.isDirty;
    const edit = new vscode.WorkspaceEdit();
    if (what === "replace") {
      const { document } = notebook.cellAt(cell);
      edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), source);
    } else {
      const made = what === "delete" ? [] : [newCell(notebook, { source, kind, language })];
      const range = new vscode.NotebookRange(cell, what === "delete" ? cell + 1 : cell);
      edit.set(notebook.uri, [vscode.NotebookEdit.replaceCells(range, made)]);
    }
    await context.recordChanges([notebook.uri.fsPath], async () => {
      if (!(await vscode.workspace.applyEdit(edit))) throw new HostToolFailed("The editor rejected the edit.");
      if (!hadUnsaved) await notebook.save();
    });
    const state = hadUnsaved ? " It has unsaved changes by the user and wasn't saved." : "";
    return `${describeUri(notebook.uri)} has ${count(notebook.cellCount, "cell")} now.${state}`;
  },
});

/** Runs a cell of a notebook. */
export const runCell = defineHostTool({
  name: "vscode_run_cell",
  label: "Run cell",
  description: "Runs a cell with the user's kernel, and returns its output, including images.",
  isReadOnly: false,
  paths: [{ argument: "path", access: "write" }],
  need: "notebook",
  input: z.object({ path: pathArgument, cell: cellArgument }),
  async run({ path, cell: index }, context) {
    const notebook = await openNotebook(path, context);
    if (index >= notebook.cellCount) throw new HostToolFailed(noCell(notebook, index));
    const cell = notebook.cellAt(index);
    if (cell.kind !== vscode.NotebookCellKind.Code) throw new HostToolFailed(`Cell ${index} holds text, not code.`);
    await vscode.window.showNotebookDocument(notebook, {
      preserveFocus: true,
      preview: true,
      viewColumn: showingColumn(context),
    });
    if (context.token.isCancellationRequested) throw new HostToolFailed("Canceled; nothing ran.");
    const hadUnsaved = notebook.isDirty;
    const ended = whenRun(cell, context);
    const ranges = [{ start: index, end: index + 1 }];
    // Without a kernel the editor asks the user for one, and the command runs until they have chosen.
    const begun = vscode.commands.executeCommand("notebook.cell.execute", { ranges, document: notebook.uri });
    await Promise.all([begun, ended]);
    // Outputs are changes, too: unsaved, they would look like the user's to the next call.
    if (!hadUnsaved) await notebook.save();
    return withImages(cell);
  },
});

function noCell({ cellCount }: vscode.NotebookDocument, cell: number): string {
  return `The notebook has no cell ${cell}; it has ${count(cellCount, "cell")}, numbered from 0.`;
}

async function openNotebook(path: string, { folder }: HostToolContext): Promise<vscode.NotebookDocument> {
  const uri = await findFile(path, folder);
  try {
    return await vscode.workspace.openNotebookDocument(uri);
  } catch (error) {
    throw new HostToolFailed(`${describeUri(uri)} isn't a notebook that the editor can open.`, { cause: error });
  }
}

interface NewCell {
  readonly source: string;
  readonly kind: "code" | "markdown";
  readonly language: string | undefined;
}

function newCell(notebook: vscode.NotebookDocument, { source, kind, language }: NewCell): vscode.NotebookCellData {
  if (kind === "markdown") return new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, source, "markdown");
  const first = notebook.getCells().find((cell) => cell.kind === vscode.NotebookCellKind.Code);
  const languageId = language ?? first?.document.languageId ?? "python";
  return new vscode.NotebookCellData(vscode.NotebookCellKind.Code, source, languageId);
}

function whenRun(cell: vscode.NotebookCell, { token, failed }: HostToolContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      for (const subscription of subscriptions) subscription.dispose();
    };
    const late = () => {
      end();
      reject(
        new HostToolFailed(
          "The cell hasn't finished after two minutes. Check whether the notebook has a kernel; the user selects it.",
        ),
      );
    };
    const timer = setTimeout(late, RUN_WAIT_MS);
    const subscriptions = [
      vscode.workspace.onDidChangeNotebookDocument(({ cellChanges }) => {
        const isOver = cellChanges.some(
          (change) => change.cell === cell && change.executionSummary?.success !== undefined,
        );
        if (!isOver) return;
        end();
        resolve();
      }),
      token.onCancellationRequested(() => {
        end();
        vscode.commands
          .executeCommand("notebook.cell.cancelExecution", {
            ranges: [{ start: cell.index, end: cell.index + 1 }],
            document: cell.notebook.uri,
          })
          .then(undefined, failed);
        reject(new HostToolFailed("Canceled; the cell was interrupted."));
      }),
    ];
  });
}

function outputLines(cell: vscode.NotebookCell): string[] {
  return cell.outputs.flatMap((output) => {
    const item = output.items.find(({ mime }) => !IMAGE_TYPES.has(mime)) ?? output.items[0];
    if (item === undefined) return [];
    if (IMAGE_TYPES.has(item.mime)) return [`  > [${item.mime}, ${item.data.length} bytes]`];
    const text = Buffer.from(item.data).toString("utf8").trimEnd();
    const cut = text.length > MAX_OUTPUT_CHARS ? `${text.slice(0, MAX_OUTPUT_CHARS)}… [cut]` : text;
    return cut.split("\n").map((line) => `  > ${line}`);
  });
}

function withImages(cell: vscode.NotebookCell): ToolResultPayload {
  const failed = cell.executionSummary?.success === false ? "The cell failed." : "The cell ran.";
  const { content } = textResult([failed, ...outputLines(cell)].join("\n"));
  const items = cell.outputs.flatMap(({ items: all }) => all);
  const outputs = items.filter(({ mime, data }) => IMAGE_TYPES.has(mime) && data.length <= MAX_IMAGE_BYTES);
  const images = outputs.slice(0, MAX_IMAGES).map(({ mime, data }) => ({
    type: "image" as const,
    mimeType: mime,
    data: Buffer.from(data).toString("base64"),
  }));
  return { content: [...content, ...images] };
}
