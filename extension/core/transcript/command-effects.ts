import type { CommandPreview, PreviewedChange } from "../../../agent/protocol/previews.ts";
import { formatBytes, formatNumber, t } from "../../../webview/l10n.ts";
import type { CommandEffects } from "../../../webview/protocol/items.ts";

const MAX_SHOWN = 50;
const MAX_OUTPUT_CHARS = 20_000;
/** The lines with the name of the file and the numbers of the first hunk at the start of a unified diff. */
const HEADER = /^(?:Index: .*\n|=+\n)*--- .*\n\+\+\+ .*\n@@ .*\n/;
const LATER_HUNK = /^@@ .*$/gm;

/** Returns what a preview has shown as the page shows it. @param cwd the folder that paths are shown from. */
export function effectsOf(
  { output, exitCode, changes, changeCount, problem }: CommandPreview,
  cwd: string,
): CommandEffects {
  const shown = changes.slice(0, MAX_SHOWN);
  const end = exitCode === undefined ? t("Preview stopped") : t("Preview: exit code {0}", exitCode);
  return {
    summary: `${end} · ${wordCount(changeCount)}`,
    output: output.slice(-MAX_OUTPUT_CHARS),
    changes: shown.map((one) => ({
      change: one.change,
      path: one.path.startsWith(`${cwd}/`) ? one.path.slice(cwd.length + 1) : one.path,
      detail: detailOf(one),
      diff: (one.patch ?? "").replace(HEADER, "").replace(LATER_HUNK, " …"),
    })),
    more: changeCount - shown.length,
    ...(problem === undefined ? {} : { problem: t("The changes can't be applied: {0}", problem) }),
  };
}

function wordCount(count: number): string {
  if (count === 0) return t("would change no files");
  return count === 1 ? t("would change 1 file") : t("would change {0} files", formatNumber(count));
}

function detailOf({ change, type, sizeBefore, sizeAfter, modeBefore, modeAfter, target }: PreviewedChange): string {
  const size = change === "deleted" ? sizeBefore : sizeAfter;
  return [
    ...(type === "folder" ? [t("folder")] : []),
    ...(target === undefined ? [] : [`→ ${target}`]),
    ...(size === undefined ? [] : [formatBytes(size)]),
    ...(modeBefore === undefined || modeAfter === undefined
      ? []
      : [`${modeBefore.toString(8)} → ${modeAfter.toString(8)}`]),
  ].join(" · ");
}
