import type { LeftOut } from "./tool.ts";

/** The query and the place of a search. */
export interface GrepSearch {
  pattern: string;
  isLiteral: boolean;
  ignoreCase: boolean;
  /** Lines shown around each match. */
  context: number;
  /** Folder that paths are relative to. */
  root: string;
  /** Name of the only file to search; the whole folder when absent. */
  onlyFile: string | undefined;
  /** Decides by relative path which files count. */
  isWanted(path: string): boolean;
  /** Decides by relative path which of these are left out all the same; undefined leaves out none. */
  isLeftOut?: LeftOut | undefined;
  signal: AbortSignal;
}

/** A line to show. Matches and their context come in the order of the files and of the lines, each line once. */
export interface GrepLine {
  /** Relative to the root, with forward slashes. */
  path: string;
  /** 1-based. */
  line: number;
  text: string;
  isMatch: boolean;
}
