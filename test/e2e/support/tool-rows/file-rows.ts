import { asked, bad, good, type ToolStep } from "./tool-row.ts";

/** Files that are made, found, moved, changed and deleted. */
export const FILE_ROWS: readonly ToolStep[] = [
  [
    good("vscode_create_file", { path: "src/extra.ts", content: "export const extra = 1;\n" }, "Created src/extra.ts."),
    bad("vscode_create_file", { path: "src/main.ts" }, "src/main.ts already exists. Change it with edit"),
    bad("vscode_move_file", { path: "src/events.ts", to: "src/main.ts" }, "src/main.ts already exists."),
    bad("vscode_delete_file", { path: "src/gone.ts" }, "No such file: "),
    bad(
      "vscode_apply_edit",
      { edits: [{ path: "src/main.ts", startLine: 9, endLine: 9, newText: "" }] },
      "src/main.ts has only 6 lines.",
    ),
    bad(
      "vscode_apply_edit",
      {
        edits: [
          { path: "src/main.ts", startLine: 1, endLine: 2, newText: "" },
          { path: "src/main.ts", startLine: 2, startColumn: 1, endLine: 3, newText: "" },
          { path: "src/main.ts", startLine: 3, endLine: 4, newText: "" },
        ],
      },
      "Two edits in src/main.ts overlap, at lines 2-3 and lines 3-4. Combine them into one edit.",
    ),
    bad(
      "vscode_apply_edit",
      { edits: [{ path: "src/main.ts", startLine: 1, startColumn: 9, endLine: 1, endColumn: 3, newText: "" }] },
      "src/main.ts:1: endColumn 3 is before startColumn 9.",
    ),
    bad("vscode_find_files", { glob: "" }, "Too small: expected string", "at glob"),
    bad("vscode_search_text", { text: "(", isRegex: true }, "Unterminated group. Write it as JavaScript does"),
    good(
      "vscode_search_text",
      { text: "EMIT", ignoreCase: true, glob: "src/*.ts" },
      /^\d+ lines in 2 of \d+ files:\nsrc\/events\.ts:\d+: /,
    ),
    good("vscode_find_files", { glob: "many/*.txt" }, '700 files fit "many/*.txt":\nmany/', /next: "\d+"\]$/),
  ],
  [
    good(
      "vscode_find_files",
      (earlier) => ({ glob: "many/*.txt", next: /next: "(\d+)"/.exec(earlier)?.[1] }),
      /\[Lines \d+-700 of 700\.\]$/,
    ),
    good("vscode_delete_file", { path: "src/extra.ts" }, "Deleted src/extra.ts."),
    good(
      "vscode_apply_edit",
      {
        edits: [
          { path: "src/main.ts", startLine: 4, endLine: 4, newText: 'store.put({ name: "two", value: 2 });' },
          { path: "src/store.ts", startLine: 9, endLine: 9, newText: "/** Keeps entries by name. */" },
        ],
      },
      "Applied:\nsrc/main.ts: +1 -1 in 1 place\nsrc/store.ts: +1 -1 in 1 place",
    ),
  ],
  [
    good(
      "vscode_move_file",
      { path: "src/events.ts", to: "src/emitter.ts" },
      "Moved src/events.ts to src/emitter.ts. Changed with it: src/store.ts.",
    ),
  ],
];

/** For a window in which `src/main.ts` and `src/store.ts` have unsaved changes. */
export const UNSAVED_ROWS: readonly ToolStep[] = [
  [
    bad("vscode_save", { path: "src/gone.ts" }, "No such file: "),
    good(
      "vscode_search_text",
      { text: "// mine" },
      "2 lines in 2 of",
      "\nsrc/main.ts:1: // mine\nsrc/store.ts:1: // mine",
    ),
    bad(
      "vscode_apply_edit",
      { edits: [{ path: "src/main.ts", startLine: 1, endLine: 1, newText: "", version: 99 }] },
      /src\/main\.ts has version \d+ by now, not 99\. Read it again\./,
    ),
    asked(bad("vscode_revert_file", { path: "src/gone.ts" }, "No such file: ")),
  ],
  [good("vscode_save", { path: "src/store.ts" }, "Saved 1 file:\nsrc/store.ts")],
  [asked(good("vscode_revert_file", { path: "src/main.ts" }, "src/main.ts matches the saved version."))],
  [good("vscode_save", {}, "There's nothing to save.")],
];
