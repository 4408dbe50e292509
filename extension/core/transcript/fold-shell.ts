import type { BashResult } from "../../../agent/protocol/commands.ts";
import { t } from "../../../webview/l10n.ts";
import type { ToolItem } from "../../../webview/protocol/items.ts";
import { MAX_OUTPUT_CHARS, worded } from "./fold-tools.ts";
import { presentCall } from "./tool-presenters.ts";
import { type Fold, takeId, upsert } from "./transcript-state.ts";

/** Shows a card for a shell command that the user runs. */
export function startShell(fold: Fold, { command, isExcluded }: { command: string; isExcluded: boolean }): void {
  const call = presentCall("bash", { command }, fold.state.cwd);
  show(fold, {
    id: takeId(fold),
    kind: "tool",
    toolName: "bash",
    state: "running",
    output: "",
    isOutputCut: false,
    images: [],
    canStop: true,
    ...call,
    ...(isExcluded ? { intent: t("{0} (hidden from the model)", call.intent) } : {}),
  });
}

/** Adds to the output of the user's running command; other commands have no card here. */
export function growShell(fold: Fold, delta: string): void {
  const { shell } = fold.state;
  if (shell === undefined) return;
  const output = shell.output + delta;
  const isCut = output.length > MAX_OUTPUT_CHARS;
  show(fold, {
    ...shell,
    output: isCut ? output.slice(-MAX_OUTPUT_CHARS) : output,
    isOutputCut: shell.isOutputCut || isCut,
  });
}

/** Ends the card. @param result absent when the command could not be run, or its result is unknown. */
export function endShell(fold: Fold, result: BashResult | undefined): void {
  const { shell } = fold.state;
  if (shell === undefined) return;
  const { output = shell.output, exitCode, cancelled = true, truncated = shell.isOutputCut } = result ?? {};
  const isLong = output.length > MAX_OUTPUT_CHARS;
  const hasFailed = exitCode !== undefined && exitCode !== 0;
  upsert(
    fold,
    worded({
      ...shell,
      state: cancelled ? "cancelled" : hasFailed ? "failed" : "done",
      output: isLong ? output.slice(-MAX_OUTPUT_CHARS) : output,
      isOutputCut: truncated || isLong,
      ...(hasFailed ? { exitCode } : {}),
    }),
  );
  fold.state.shell = undefined;
}

function show(fold: Fold, unworded: ToolItem): void {
  const item = worded(unworded);
  fold.state.shell = item;
  upsert(fold, item);
}
