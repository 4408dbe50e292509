import * as vscode from "vscode";
import * as z from "zod";
import { hunksOf } from "../../../agent/changes/file-review.ts";
import { t } from "../../../webview/l10n.ts";
import { judgeAll } from "./judge-all.ts";
import type { ReviewDocuments } from "./review-documents.ts";
import type { Reviewer } from "./reviewer.ts";

const PathArgument = z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]);
/** Commands by id. Their rejections are shown to the user. */
export type Commands = Readonly<Record<string, (...args: unknown[]) => Promise<void>>>;

const IndexArgument = z.int().min(0);

/** Returns the commands that review the agent's changes, by id. */
export function reviewCommands(reviewer: Reviewer, documents: ReviewDocuments): Commands {
  const onHunk =
    (judge: (path: string, index: number, key?: string) => Promise<void>) =>
    async (path: unknown, index: unknown, key: unknown) => {
      const place = readPlace(path, index) ?? hunkAtCursor(reviewer);
      if (place !== undefined) await judge(place.path, place.index, typeof key === "string" ? key : undefined);
    };
  const onFile = (judge: (path: string) => Promise<void>) => async (path: unknown) => {
    const file = PathArgument.safeParse(path).data ?? vscode.window.activeTextEditor?.document.uri.fsPath;
    if (file !== undefined) await judge(file);
  };
  const onAll = (judge: (path: string) => Promise<void>) => async () => {
    const paths = reviewer.files().map(({ path }) => path);
    await judgeAll(paths, judge);
  };
  return {
    "tiller.keepChange": onHunk((...place) => reviewer.keep(...place)),
    "tiller.undoChange": onHunk((...place) => reviewer.undo(...place)),
    "tiller.keepFileChanges": onFile((path) => reviewer.keepFile(path)),
    "tiller.undoFileChanges": onFile((path) => reviewer.undoFile(path)),
    "tiller.showFileChanges": onFile((path) => documents.showDiff(path)),
    "tiller.keepAllChanges": onAll((path) => reviewer.keepFile(path)),
    "tiller.undoAllChanges": async () => {
      if (await confirmUndo(reviewer.files().length)) await onAll((path) => reviewer.undoFile(path))();
    },
    "tiller.reviewChanges": async () => {
      const paths = reviewer.files().map(({ path }) => path);
      if (paths.length > 0) await documents.showAll(paths, t("Changes by the Agent"));
    },
    "tiller.nextChange": () => goToHunk(reviewer, 1),
    "tiller.previousChange": () => goToHunk(reviewer, -1),
  };
}

async function confirmUndo(files: number): Promise<boolean> {
  const undo = t("Undo All");
  const message =
    files === 1 ? t("Undo the agent's changes in 1 file?") : t("Undo the agent's changes in {0} files?", files);
  return (await vscode.window.showWarningMessage(message, { modal: true }, undo)) === undo;
}

function readPlace(path: unknown, index: unknown): { path: string; index: number } | undefined {
  const [file, number] = [PathArgument.safeParse(path).data, IndexArgument.safeParse(index).data];
  return file === undefined || number === undefined ? undefined : { path: file, index: number };
}

function hunkAtCursor(reviewer: Reviewer): { path: string; index: number } | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return undefined;
  const { line } = editor.selection.active;
  const index = reviewer
    .hunksIn(editor.document)
    .findIndex(({ afterStart, after }) => line >= afterStart && line <= afterStart + Math.max(after.length - 1, 0));
  return index === -1 ? undefined : { path: editor.document.uri.fsPath, index };
}

/** Goes to the next or previous hunk of the file, or else to the next file with hunks. */
async function goToHunk(reviewer: Reviewer, direction: 1 | -1): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const line = editor?.selection.active.line ?? 0;
  const starts = editor === undefined ? [] : reviewer.hunksIn(editor.document).map(({ afterStart }) => afterStart);
  const there = direction === 1 ? starts.find((start) => start > line) : starts.findLast((start) => start < line);
  if (editor !== undefined && there !== undefined) return showLine(editor, there);
  const paths = reviewer
    .files()
    .filter(({ review }) => review !== undefined && review.known !== null && hunksOf(review).length > 0)
    .map(({ path }) => path)
    .sort();
  const here = paths.indexOf(editor?.document.uri.fsPath ?? "");
  const next = paths.at((here + direction) % Math.max(paths.length, 1));
  if (next === undefined) return;
  const opened = await vscode.window.showTextDocument(vscode.Uri.file(next));
  const hunks = reviewer.hunksIn(opened.document);
  showLine(opened, (direction === 1 ? hunks[0] : hunks.at(-1))?.afterStart ?? 0);
}

function showLine(editor: vscode.TextEditor, line: number): void {
  const place = new vscode.Position(Math.min(line, editor.document.lineCount - 1), 0);
  editor.selection = new vscode.Selection(place, place);
  editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
