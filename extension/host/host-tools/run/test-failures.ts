import { count, reportText } from "../listing.ts";

/**
 * Describes a finished test run for the model.
 * @param failures the editor's report, an element `testFailure` for each failed test; undefined when it gives none.
 */
export function describeRun(failures: string | undefined): string {
  // An editor that knows of no tests runs nothing and does not say so.
  const over = "The test run is over, if the editor knows of such tests.";
  if (failures === undefined)
    return `${over} The results are in the Testing view; to read them, run the tests with bash.`;
  const failed = failures.match(/^<testFailure[ >]/gm)?.length ?? 0;
  if (failed === 0) return `${over} No test failed.`;
  const title = `${over} In the editor's last run ${count(failed, "test")} failed:`;
  return reportText(title, failures.trim().split("\n"));
}
