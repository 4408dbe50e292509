import type * as vscode from "vscode";
import type { LineRange } from "../../core/mentions/mention-text.ts";

/** Returns the lines of a range, 1-based; one that ends at the start of a line does not include that line. */
export function linesOf({ start, end }: Pick<vscode.Range, "start" | "end">): LineRange {
  const isOpenEnd = end.character === 0 && end.line > start.line;
  return { startLine: start.line + 1, endLine: isOpenEnd ? end.line : end.line + 1 };
}
