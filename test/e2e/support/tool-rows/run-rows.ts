import { asked, bad, good, type ToolStep } from "./tool-row.ts";

/** Tasks, terminal and tests. */
export const RUN_ROWS: readonly ToolStep[] = [
  [good("vscode_list_tasks", {}, "endless\nfail\npass (build)")], // before any runs: the calls of a step overlap
  [
    bad("vscode_list_tasks", { next: "more" }, "Invalid arguments.", "at next"),
    bad("vscode_run_task", { task: "deploy" }, 'There\'s no task "deploy". List them with vscode_list_tasks.'),
    bad("vscode_run_task", { task: "broken" }, '"broken" started no process.', "Check tasks.json"),
    good("vscode_run_task", { task: "pass" }, "pass ended with exit code 0."),
    good("vscode_run_in_terminal", { command: "echo he''llo; false" }, "Ended with exit code 1.\nhello"),
    bad("vscode_run_in_terminal", { command: "" }, "Too small: expected string", "at command"),
    bad("vscode_run_tests", { what: "line", path: "src/main.ts" }, "Give the path, and for line the line."),
    bad("vscode_run_tests", { what: "line", path: "src/main.ts", line: 99 }, "src/main.ts has only 6 lines."),
  ],
  [
    good("vscode_run_task", { task: "fail" }, "fail ended with exit code 3."),
    good("vscode_run_tests", { path: "src/main.ts" }, /^The test run is over.*\. No test failed\.$/),
  ],
  [
    good(
      "vscode_run_tests",
      { path: "wrong.lab" },
      "In the editor's last run 1 test failed:",
      '<testFailure name="notices"',
      /This is wrong\.\n.*\n.*wrong\.lab" line="2"/,
    ),
  ],
  [good("vscode_run_tests", { path: "src/main.ts" }, "No test failed.")],
];

/** The debugger, in a program that stops at a breakpoint. */
export const DEBUG_ROWS: readonly ToolStep[] = [
  [
    good("vscode_breakpoints", { what: "set", path: "run.js", line: 3 }, "Set at run.js:3."),
    bad("vscode_breakpoints", { what: "set", path: "run.js", line: 99 }, "run.js has only 7 lines."),
    good("vscode_debug_state", {}, "No debug session is active."),
    bad("vscode_debug", { what: "stepOver" }, "No debug session is active. Start one of: run"),
    bad("vscode_debug", { what: "start", configuration: "walk" }, 'There is no "walk". launch.json has: run.'),
  ],
  [good("vscode_debug", { what: "start", configuration: "run" }, /It's in .*add at run\.js:3\./)],
  [
    good(
      "vscode_debug_state",
      {},
      "Debugging ",
      /> 0: .*add run\.js:3\n/,
      "both: number = 3",
      /\nbreakpoint run\.js:3$/,
    ),
    bad("vscode_debug_state", { frame: 29 }, /There's no frame 29; the last is \d+\./),
    asked(bad("vscode_debug_evaluate", { expression: "nothingLikeIt" }, "The debugger says: ", "nothingLikeIt")),
  ],
  [asked(good("vscode_debug_evaluate", { expression: "a + both" }, "4"))],
  [good("vscode_debug", { what: "stepOut" }, /It's in .* at run\.js:7\./)],
  [good("vscode_debug", { what: "stop" }, "Stopped.")],
  [
    good("vscode_breakpoints", { what: "remove", path: "run.js", line: 3 }, "Removed."),
    good("vscode_debug_state", {}, "No debug session is active."),
    good("vscode_editor_state", {}, /^(?!.*\ndebugging: )/s),
  ],
];

/** Cells of a notebook that the test's own kernel runs. */
export const NOTEBOOK_ROWS: readonly ToolStep[] = [
  [
    good(
      "vscode_read_notebook",
      { path: "notes.ipynb" },
      "notes.ipynb, 2 cells:\n--- cell 0 (markdown)\n# Notes\n--- cell 1 (python)\nprint(42)\n  > 42",
    ),
    bad("vscode_read_notebook", { path: "run.js" }, "run.js isn't a notebook that the editor can open."),
    bad(
      "vscode_edit_notebook",
      { path: "notes.ipynb", what: "delete", cell: 9 },
      "The notebook has no cell 9; it has 2 cells, numbered from 0.",
    ),
    bad("vscode_run_cell", { path: "notes.ipynb", cell: 0 }, "Cell 0 holds text, not code."),
    good("vscode_run_cell", { path: "notes.ipynb", cell: 1 }, "The cell ran.\n  > ran print(42)"),
  ],
  [
    good(
      "vscode_edit_notebook",
      { path: "notes.ipynb", what: "insert", cell: 2, source: "fail" },
      "notes.ipynb has 3 cells now.",
    ),
  ],
  [good("vscode_run_cell", { path: "notes.ipynb", cell: 2 }, "The cell failed.\n  > ran fail")],
  [
    good(
      "vscode_edit_notebook",
      { path: "notes.ipynb", what: "replace", cell: 2, source: "endless" },
      "notes.ipynb has 3 cells now.",
    ),
  ],
  [good("vscode_edit_notebook", { path: "notes.ipynb", what: "delete", cell: 0 }, "notes.ipynb has 2 cells now.")],
];
