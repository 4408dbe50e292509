import { hunksOf } from "../../../agent/changes/file-review.ts";
import type { PendingFile } from "../../../agent/changes/review-book.ts";
import type { PanelUi } from "../../../webview/protocol/ui.ts";

/** Returns the number of added and removed lines that are not reviewed yet; both are 0 for a file that is not text. */
export function lineCounts({ review }: Pick<PendingFile, "review">): { added: number; removed: number } {
  const hunks = review === undefined ? [] : hunksOf(review);
  return {
    added: hunks.reduce((sum, { after }) => sum + after.length, 0),
    removed: hunks.reduce((sum, { before }) => sum + before.length, 0),
  };
}

/** Returns what is to be reviewed, in numbers; undefined when nothing is. */
export function countChanges(files: readonly Pick<PendingFile, "review">[]): PanelUi["changes"] {
  if (files.length === 0) return undefined;
  const counts = files.map(lineCounts);
  return {
    files: files.length,
    added: counts.reduce((sum, { added }) => sum + added, 0),
    removed: counts.reduce((sum, { removed }) => sum + removed, 0),
  };
}
