import { t } from "../../../webview/l10n.ts";
import type { ToolItem, ToolState } from "../../../webview/protocol/items.ts";

/** The part that a tool plays in a run; calls that only look fold into one line, and so do edits. */
type Part = NonNullable<ToolItem["part"]>;

interface Verb {
  readonly part?: Part;
  /** Returns the phrase while the call runs. @param it stands for the object. */
  running(it: string): string;
  /** Returns the phrase after the call. */
  finished(it: string): string;
}

/** The place of the object in a phrase, which the page fills in. */
const OBJECT = "{0}";

function verb(running: Verb["running"], finished: Verb["finished"], part?: Part): Verb {
  return { running, finished, ...(part === undefined ? {} : { part }) };
}

const READ = verb(
  (it) => t("Reading {0}…", it),
  (it) => t("Read {0}", it),
  "file",
);
const SEARCH = verb(
  (it) => t("Searching for {0}…", it),
  (it) => t("Searched for {0}", it),
  "search",
);
const EDIT = verb(
  (it) => t("Editing {0}…", it),
  (it) => t("Edited {0}", it),
  "edit",
);
const WRITE = verb(
  (it) => t("Writing {0}…", it),
  (it) => t("Wrote {0}", it),
  "edit",
);
const RUN = verb(
  (it) => t("Running {0}…", it),
  (it) => t("Ran {0}", it),
);
const FIND_FILES = verb(
  (it) => t("Finding files named {0}…", it),
  (it) => t("Found files named {0}", it),
  "search",
);
const ASK = verb(
  () => t("Asking you…"),
  () => t("Asked you"),
);

/** The words for the calls of each built-in tool and host tool. */
const VERBS: Readonly<Record<string, Verb>> = {
  read: READ,
  ls: verb(
    (it) => t("Listing {0}…", it),
    (it) => t("Listed {0}", it),
    "folder",
  ),
  grep: SEARCH,
  find: FIND_FILES,
  edit: EDIT,
  write: WRITE,
  bash: RUN,
  bash_output: verb(
    () => t("Reading the output of a background command…"),
    () => t("Read the output of a background command"),
  ),
  bash_stop: verb(
    () => t("Stopping a background command…"),
    () => t("Stopped a background command"),
  ),
  todo_write: verb(
    (it) => t("Updating the plan: {0}…", it),
    (it) => t("Updated the plan: {0}", it),
  ),
  recall: verb(
    (it) => t("Recalling {0}…", it),
    (it) => t("Recalled {0}", it),
    "search",
  ),
  web_fetch: verb(
    (it) => t("Reading {0}…", it),
    (it) => t("Read {0}", it),
    "search",
  ),
  web_search: verb(
    (it) => t("Searching the web for {0}…", it),
    (it) => t("Searched the web for {0}", it),
    "search",
  ),
  ask_user: ASK,
  vscode_open_file: verb(
    (it) => t("Opening {0}…", it),
    (it) => t("Opened {0}", it),
  ),
  vscode_editor_state: verb(
    () => t("Looking at the open editors…"),
    () => t("Looked at the open editors"),
    "search",
  ),
  vscode_get_selection: verb(
    () => t("Reading the selection…"),
    () => t("Read the selection"),
    "search",
  ),
  vscode_show_diff: verb(
    (it) => t("Comparing {0}…", it),
    (it) => t("Compared {0}", it),
  ),
  vscode_show_changes: verb(
    () => t("Showing the changes…"),
    () => t("Showed the changes"),
  ),
  vscode_get_diagnostics: verb(
    (it) => t("Checking problems {0}…", it),
    (it) => t("Checked problems {0}", it),
    "search",
  ),
  vscode_document_symbols: verb(
    (it) => t("Listing symbols in {0}…", it),
    (it) => t("Listed symbols in {0}", it),
    "search",
  ),
  vscode_workspace_symbols: verb(
    (it) => t("Finding the symbol {0}…", it),
    (it) => t("Looked for the symbol {0}", it),
    "search",
  ),
  vscode_find_definition: verb(
    (it) => t("Finding the definition of {0}…", it),
    (it) => t("Found the definition of {0}", it),
    "search",
  ),
  vscode_find_references: verb(
    (it) => t("Finding references to {0}…", it),
    (it) => t("Found references to {0}", it),
    "search",
  ),
  vscode_call_hierarchy: verb(
    (it) => t("Finding calls to and from {0}…", it),
    (it) => t("Found calls to and from {0}", it),
    "search",
  ),
  vscode_type_hierarchy: verb(
    (it) => t("Finding types related to {0}…", it),
    (it) => t("Found types related to {0}", it),
    "search",
  ),
  vscode_hover: verb(
    (it) => t("Looking up {0}…", it),
    (it) => t("Looked up {0}", it),
    "search",
  ),
  vscode_rename_symbol: verb(
    (it) => t("Renaming {0}…", it),
    (it) => t("Renamed {0}", it),
  ),
  vscode_list_code_actions: verb(
    (it) => t("Looking for quick fixes in {0}…", it),
    (it) => t("Looked for quick fixes in {0}", it),
    "search",
  ),
  vscode_apply_code_action: verb(
    () => t("Applying a quick fix…"),
    () => t("Applied a quick fix"),
  ),
  vscode_format: verb(
    (it) => t("Formatting {0}…", it),
    (it) => t("Formatted {0}", it),
  ),
  vscode_tidy: verb(
    (it) => t("Cleaning up {0}…", it),
    (it) => t("Cleaned up {0}", it),
  ),
  vscode_find_files: FIND_FILES,
  vscode_search_text: SEARCH,
  vscode_apply_edit: EDIT,
  vscode_create_file: verb(
    (it) => t("Creating {0}…", it),
    (it) => t("Created {0}", it),
  ),
  vscode_move_file: verb(
    (it) => t("Moving {0}…", it),
    (it) => t("Moved {0}", it),
  ),
  vscode_delete_file: verb(
    (it) => t("Deleting {0}…", it),
    (it) => t("Deleted {0}", it),
  ),
  vscode_save: verb(
    (it) => t("Saving {0}…", it),
    (it) => t("Saved {0}", it),
  ),
  vscode_revert_file: verb(
    (it) => t("Reverting {0}…", it),
    (it) => t("Reverted {0}", it),
  ),
  vscode_list_tasks: verb(
    () => t("Listing tasks…"),
    () => t("Listed tasks"),
    "search",
  ),
  vscode_run_task: verb(
    (it) => t("Running the task {0}…", it),
    (it) => t("Ran the task {0}", it),
  ),
  vscode_run_tests: verb(
    (it) => t("Running tests {0}…", it),
    (it) => t("Ran tests {0}", it),
  ),
  vscode_run_in_terminal: RUN,
  vscode_run_command: verb(
    (it) => t("Running the command {0}…", it),
    (it) => t("Ran the command {0}", it),
  ),
  vscode_breakpoints: verb(
    (it) => t("Setting breakpoints {0}…", it),
    (it) => t("Set breakpoints {0}", it),
  ),
  vscode_debug: verb(
    (it) => t("Debugging {0}…", it),
    (it) => t("Debugged {0}", it),
  ),
  vscode_debug_state: verb(
    () => t("Reading the debugger's state…"),
    () => t("Read the debugger's state"),
  ),
  vscode_debug_evaluate: verb(
    (it) => t("Evaluating {0}…", it),
    (it) => t("Evaluated {0}", it),
  ),
  vscode_git: verb(
    (it) => t("Reading from Git: {0}…", it),
    (it) => t("Read from Git: {0}", it),
    "search",
  ),
  vscode_git_stage: verb(
    (it) => t("Staging {0}…", it),
    (it) => t("Staged {0}", it),
  ),
  vscode_git_commit_message: verb(
    () => t("Proposing a commit message…"),
    () => t("Proposed a commit message"),
  ),
  vscode_git_commit: verb(
    () => t("Committing…"),
    () => t("Committed"),
  ),
  vscode_git_push: verb(
    () => t("Pushing…"),
    () => t("Pushed"),
  ),
  vscode_read_notebook: READ,
  vscode_edit_notebook: EDIT,
  vscode_run_cell: verb(
    (it) => t("Running a cell in {0}…", it),
    (it) => t("Ran a cell in {0}", it),
  ),
  vscode_ask_user: ASK,
  vscode_notify: verb(
    () => t("Notifying you…"),
    () => t("Notified you"),
  ),
};

/** Returns what a call does in words, for its state; `{0}` stands for the object. */
export function phraseOf(toolName: string, state: ToolState): string {
  const own = verbOf(toolName);
  if (own === undefined) return `${humanName(toolName)} ${OBJECT}`;
  // What was denied is struck out.
  const isOver = state === "done" || state === "failed" || state === "denied";
  return isOver ? own.finished(OBJECT) : own.running(OBJECT);
}

/** Returns the part that a call plays in a run; undefined if it stands alone. @param command that of `bash`. */
export function partOf(toolName: string, command: string): Part | undefined {
  if (toolName === "bash") return LOOKING_COMMAND.test(command) ? "command" : undefined;
  return verbOf(toolName)?.part;
}

/** One simple command that only reads. It decides nothing but the appearance of the card. */
const LOOKING_COMMAND =
  /^(?:cat|du|file|grep|head|ls|pwd|rg|stat|tail|tree|wc|which|git (?:blame|diff|log|show|status))(?: [^;&|<>$`\n]*)?$/;

function verbOf(toolName: string): Verb | undefined {
  return Object.hasOwn(VERBS, toolName) ? VERBS[toolName] : undefined;
}

/** Converts the name of a foreign tool to words: `mcp__tracker__create_issue` is "Create issue (tracker)". */
function humanName(toolName: string): string {
  const [, server, tool = toolName] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  const words = tool
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[_\-.]+/g, " ")
    .trim()
    .toLowerCase();
  const name = words === "" ? toolName : `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
  return server === undefined ? name : t("{0} ({1})", name, server);
}
