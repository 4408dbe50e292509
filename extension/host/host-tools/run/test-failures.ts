import { count, reportText } from "../listing.ts";

/**
 * What the model is told of a test run that is over.
 * @param failures the editor's own words, an element `testFailure` for each test that failed; undefined when it tells nothing.
 */
export function describeRun(failures: string | undefined): string {
  // The editor runs nothing, and does not say so, where it knows of no tests.
  const over = "The test run is over, if the editor knows of such tests.";
  if (failures === undefined) return `${over} How they ended is in the test view; run them with bash to read it.`;
  const failed = failures.match(/^<testFailure[ >]/gm)?.length ?? 0;
  if (failed === 0) return `${over} No test failed.`;
  const title = `${over} In the editor's last run ${count(failed, "test")} failed:`;
  return reportText(title, failures.trim().split("\n"));
}
