import { bad, good, type ToolStep } from "./tool-row.ts";

/** Tools that use language services, in the initial project. */
export const LANGUAGE_ROWS: readonly ToolStep[] = [
  [
    good("vscode_document_symbols", { path: "src/store.ts" }, "10 symbols in src/store.ts:", "class Store [10-21]"),
    bad("vscode_document_symbols", { path: "src/gone.ts" }, "No such file: "),
    good("vscode_hover", { path: "src/main.ts", line: 3 }, 'About "store":\nconst store: Store'),
    bad("vscode_hover", { path: "src/main.ts", line: 2 }, "There's no name at src/main.ts:2. Read the line"),
    good(
      "vscode_find_definition",
      { symbol: "Store", path: "src/main.ts", line: 3 },
      '1 definition of "Store":\nsrc/store.ts:10:14',
      "> 10: export class Store extends EventEmitter {",
    ),
    bad("vscode_find_definition", {}, "Give either symbol, or path and line."),
    good(
      "vscode_get_diagnostics",
      { path: "src/wrong.ts" },
      "1 error in src/wrong.ts:\nsrc/wrong.ts:1:14 error: Type 'string' is not assignable to type 'number'. [ts 2322]\n  > 1: export const wrong",
    ),
    good(
      "vscode_get_diagnostics",
      { path: "src/wrong.ts", source: "eslint" },
      "No problems of eslint of severity warning",
    ),
    bad("vscode_get_diagnostics", { path: "src/gone.ts" }, "No such file: "),
    good(
      "vscode_type_hierarchy",
      { path: "types.lab", line: 1 },
      '2 subtypes of "Animal":\nclass Cat at types.lab:2:1\nclass Dog at types.lab:3:1',
    ),
    bad(
      "vscode_type_hierarchy",
      { path: "src/events.ts", symbol: "EventEmitter" },
      'The language service has no type hierarchy for "EventEmitter". Use vscode_find_references instead',
    ),
    bad("vscode_apply_code_action", { id: "a0" }, 'There\'s no action "a0". List the actions again.'),
    bad("vscode_format", { path: "src/main.ts", startLine: 9 }, "src/main.ts has only 6 lines."),
    bad("vscode_tidy", { path: "src/gone.ts", what: "fixAll" }, "No such file: "),
    bad("vscode_list_code_actions", { path: "src/main.ts", startLine: 9 }, "src/main.ts has only 6 lines."),
  ],
  [
    good(
      "vscode_get_diagnostics",
      { path: "src", source: "ts" },
      /^\d+ errors?.* in src, in \d files?:\nsrc\/\w+\.ts:/,
    ),
    good("vscode_get_diagnostics", { path: "many" }, "No problems of severity warning or worse in many."),
    good(
      "vscode_workspace_symbols",
      { query: "Store", kind: "class" },
      '1 symbol named like "Store":\nclass Store at src/store.ts:10:1',
    ),
    bad("vscode_workspace_symbols", { query: "Store", kind: "thing" }, "Invalid option: expected one of", "at kind"),
    good(
      "vscode_find_references",
      { path: "src/store.ts", symbol: "sum" },
      '3 references of "sum" in 2 files:',
      "src/main.ts: 2 references, 1 write\n  > 1 (write): import",
    ),
    good(
      "vscode_find_references",
      { path: "src/store.ts", symbol: "value", includeDeclaration: true },
      "src/main.ts: 1 reference, 1 write\n  > 4 (write): store.put",
    ),
    good(
      "vscode_call_hierarchy",
      { path: "src/store.ts", symbol: "sum", direction: "outgoing" },
      /^1 callee of "sum":\nmethod reduce at .*lib\.es5\.d\.ts:\d+:\d+, line \d+ \[external\]$/,
    ),
    bad(
      "vscode_find_references",
      { path: "src/store.ts", symbol: "nothingLikeIt" },
      'No symbol named "nothingLikeIt" found in src/store.ts. Check the name',
    ),
    good(
      "vscode_call_hierarchy",
      { path: "src/events.ts", symbol: "emit" },
      '1 caller of "emit":\nmethod put at src/store.ts:13:3, line 15',
    ),
    bad("vscode_call_hierarchy", { path: "src/main.ts", line: 99 }, "src/main.ts has only 6 lines."),
    good(
      "vscode_list_code_actions",
      { path: "src/fixable.ts", startLine: 2, kind: "quickfix" },
      /\d actions? for src\/fixable\.ts:2:/,
      /a\d+: (?:Update|Add) import/,
    ),
    bad("vscode_rename_symbol", { symbol: "nothingLikeIt", newName: "x" }, 'No symbol named "nothingLikeIt"'),
  ],
  [
    good(
      "vscode_apply_code_action",
      (earlier) => ({ id: /(a\d+): (?:Update|Add) import/.exec(earlier)?.[1] }),
      "Applied",
      "src/fixable.ts: +1 -1 in 1 place",
    ),
    good(
      "vscode_rename_symbol",
      { path: "src/store.ts", symbol: "total", newName: "whole" },
      'Renamed "total" to "whole" in 2 files:',
      "src/main.ts: +1 -1 in 1 place",
    ),
  ],
  [
    bad(
      "vscode_apply_code_action",
      (earlier) => ({ id: /(a\d+): (?:Update|Add) import/.exec(earlier)?.[1] }),
      "src/fixable.ts has changed since",
      "List the actions again.",
    ),
    good("vscode_format", { path: "src/fixable.ts" }, "src/fixable.ts: +1 -1 in 1 place"),
  ],
  [good("vscode_tidy", { path: "src/fixable.ts", what: "organizeImports" }, "src/fixable.ts: +1 -1 in 1 place")],
];
