import type * as vscode from "vscode";
import { openedPath } from "../../editor/workspace-files.ts";
import type { ChangeTracker } from "../changes/change-tracker.ts";
import { breakpoints } from "./debug/breakpoints.ts";
import { debug, debugEvaluate, debugState } from "./debug/debugging.ts";
import { createDiagnosticsTool } from "./diagnostics.ts";
import { createDiffTool } from "./diff.ts";
import { askUser, notifyUser } from "./editor/ask-user.ts";
import { editorState } from "./editor/editor-state.ts";
import type { Highlight } from "./editor/highlight.ts";
import { showChanges } from "./editor/show-changes.ts";
import { createEditorLink } from "./editor-link.ts";
import { createFile, deleteFile, moveFile } from "./files/file-operations.ts";
import { revertFile, saveFiles } from "./files/save.ts";
import { applyWorkspaceEdit } from "./files/workspace-edit.ts";
import { readGit } from "./git/read-git.ts";
import { commitStaged, proposeCommitMessage, pushBranch, stageFiles } from "./git/write-git.ts";
import type { HostTool } from "./host-tool.ts";
import { createCodeActionTools } from "./language/code-actions.ts";
import { findDefinition, findReferences } from "./language/definitions.ts";
import { formatFile } from "./language/format.ts";
import { callHierarchy, typeHierarchy } from "./language/hierarchy.ts";
import { hover } from "./language/hover.ts";
import { ProblemWatch } from "./language/problem-watch.ts";
import { renameSymbol } from "./language/rename.ts";
import { documentSymbols, workspaceSymbols } from "./language/symbols.ts";
import { createTidyTool } from "./language/tidy.ts";
import { editNotebook, readNotebook, runCell } from "./notebook/notebooks.ts";
import { changeDocument, readDocument } from "./open-document.ts";
import { createOpenTool } from "./open-file.ts";
import { listTasks, runTask } from "./run/tasks.ts";
import { createTerminalTool } from "./run/terminal.ts";
import { runTests } from "./run/tests.ts";
import { createCommandTool } from "./run-command.ts";
import { findFiles } from "./search/find-files.ts";
import { searchText } from "./search/search-text.ts";
import { createSelectionTool } from "./selection.ts";
import { UnsavedFiles } from "./unsaved-files.ts";

interface Surroundings {
  /** Listeners of the tools, to be disposed with the extension. */
  readonly subscriptions: vscode.Disposable[];
  readonly changes: ChangeTracker;
  /** The lines that are highlighted for the user. */
  readonly highlight: Highlight;
  allowedCommands(): readonly string[];
  /** True if the agent learns how its edits change the problems of the workspace. */
  reportsProblems(): boolean;
}

/** Creates all editor actions that the agent gets, the hidden ones last. */
export function createHostTools(around: Surroundings): HostTool[] {
  const { subscriptions, changes, highlight, allowedCommands, reportsProblems } = around;
  const problems = new ProblemWatch();
  subscriptions.push(problems);
  return [
    createOpenTool((document, range) => highlight.show(document, range)),
    editorState,
    createSelectionTool(subscriptions),
    createDiffTool(subscriptions),
    showChanges,
    createDiagnosticsTool(problems),
    documentSymbols,
    workspaceSymbols,
    findDefinition,
    findReferences,
    callHierarchy,
    typeHierarchy,
    hover,
    renameSymbol,
    ...createCodeActionTools(problems),
    formatFile,
    createTidyTool(problems),
    findFiles,
    searchText,
    applyWorkspaceEdit,
    createFile,
    moveFile,
    deleteFile,
    saveFiles,
    revertFile,
    listTasks,
    runTask,
    runTests,
    createTerminalTool(subscriptions),
    breakpoints,
    debug,
    debugState,
    debugEvaluate,
    readGit,
    stageFiles,
    proposeCommitMessage,
    commitStaged,
    pushBranch,
    readNotebook,
    editNotebook,
    runCell,
    askUser,
    notifyUser,
    createCommandTool(allowedCommands),
    ...createEditorLink({
      documents: { read: readDocument, change: changeDocument },
      changes,
      unsaved: new UnsavedFiles(),
      problems,
      openedPath,
      reportsProblems,
    }),
  ];
}
