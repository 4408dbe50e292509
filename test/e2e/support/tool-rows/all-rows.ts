import { EDITOR_ROWS } from "./editor-rows.ts";
import { FILE_ROWS, UNSAVED_ROWS } from "./file-rows.ts";
import { GIT_ROWS, PUSH_ROWS } from "./git-rows.ts";
import { LANGUAGE_ROWS } from "./language-rows.ts";
import { DEBUG_ROWS, NOTEBOOK_ROWS, RUN_ROWS } from "./run-rows.ts";
import type { ToolRow } from "./tool-row.ts";

/** Every call that the tests in the editor make of the tools. */
export const ALL_ROWS: readonly ToolRow[] = [
  EDITOR_ROWS,
  FILE_ROWS,
  UNSAVED_ROWS,
  LANGUAGE_ROWS,
  RUN_ROWS,
  DEBUG_ROWS,
  NOTEBOOK_ROWS,
  GIT_ROWS,
  PUSH_ROWS,
].flat(2);
