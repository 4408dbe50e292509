import * as vscode from "vscode";

/** Maximum time to wait for language services, in milliseconds. */
const MAX_WAIT_MS = 2_000;
/** Without a report for this long, a service has nothing to report, in milliseconds. */
const SILENCE_MS = 1_000;
/** After one report, others and those of other files follow within this time, in milliseconds. */
const QUIET_MS = 300;

/** Resolves when language services have finished reporting, or have reported nothing for `silenceMs`. */
export function settled(token: vscode.CancellationToken, silenceMs = SILENCE_MS): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(end, silenceMs);
    const latest = setTimeout(end, Math.max(MAX_WAIT_MS, silenceMs));
    const subscriptions = [
      token.onCancellationRequested(end),
      vscode.languages.onDidChangeDiagnostics(() => {
        clearTimeout(timer);
        timer = setTimeout(end, QUIET_MS);
      }),
    ];
    function end(): void {
      clearTimeout(timer);
      clearTimeout(latest);
      for (const subscription of subscriptions) subscription.dispose();
      resolve();
    }
  });
}
