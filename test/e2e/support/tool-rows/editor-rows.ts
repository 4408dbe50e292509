import { bad, good, type ToolStep } from "./tool-row.ts";

/** Tools that the user sees: tabs, comparisons, questions. Begins in a window without an editor. */
export const EDITOR_ROWS: readonly ToolStep[] = [
  [bad("vscode_get_selection", {}, "No editor is open. Ask the user which file they mean.")],
  [
    good(
      "vscode_open_file",
      { path: "src/main.ts", startLine: 3, endLine: 4 },
      "Opened src/main.ts with lines 3-4 of 6 selected.",
    ),
    bad("vscode_open_file", { path: "src/gone.ts" }, "No such file: ", "Use find or ls to see what's there."),
    bad("vscode_open_file", { path: "nothing:here" }, "The editor can't open nothing:here. Use the address of a tab"),
  ],
  [
    good(
      "vscode_get_selection",
      {},
      'src/main.ts, from 3:1 to 4:38:\nconst store = new Store();\nstore.put({ name: "one", value: 1 });',
    ),
    good(
      "vscode_editor_state",
      {},
      "The window now:\nfolder workspace: ",
      "group 1 (active): 1 tabs\n  src/main.ts (in front, preview)",
      "visible: src/main.ts lines 1-6 of 6, version 1",
    ),
    bad("vscode_editor_state", { next: "more" }, "Invalid arguments.", "at next"),
    good("vscode_notify", { message: "The tests pass." }, "Shown."),
    bad("vscode_notify", { message: "" }, "Too small: expected string", "at message"),
    good("vscode_run_command", { command: "workbench.action.closePanel" }, "workbench.action.closePanel is done."),
    bad(
      "vscode_run_command",
      { command: "workbench.action.closeWindow" },
      'The command "workbench.action.closeWindow" isn\'t allowed. Allowed: workbench.action.closePanel.',
      'add it to the setting "tiller.hostTools.allowedCommands"',
    ),
  ],
  [
    bad("vscode_show_diff", { leftPath: "src/main.ts" }, "Give each side as either a path or text"),
    bad(
      "vscode_show_changes",
      { title: "Two files", files: [{ before: "src/main.ts", after: "src/gone.ts" }] },
      "No such file: ",
    ),
    bad("vscode_ask_user", { question: "" }, "Too small: expected string", "at question"),
  ],
  [
    good(
      "vscode_show_diff",
      { leftPath: "src/main.ts", rightText: "console.log(1);\n", title: "Main: old and new" },
      "The user sees a diff of src/main.ts and the given text.",
    ),
  ],
  [
    good(
      "vscode_show_changes",
      { title: "Two files", files: [{ before: "src/events.ts", after: "src/store.ts" }] },
      "A notification offers the user 1 comparison.",
    ),
  ],
  [
    {
      ...good("vscode_ask_user", { question: "Which colour?", options: ["Blue", "Red"] }, "The user answered: Red"),
      answer: "Red",
    },
  ],
];
