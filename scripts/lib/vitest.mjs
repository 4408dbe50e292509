import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { childEnvironment } from "./environment.mjs";
import { ROOT } from "./paths.mjs";
import { exitCodeOf } from "./processes.mjs";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/**
 * Runs one project of vitest.config.ts and names the tests that passed at a second try. Resolves to the totals, with the titles of these
 * tests and of the failed ones. A file that can't be loaded counts as one failed test, and so does a run that ends without a report.
 */
export async function runVitest(project, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tiller-report-"));
  const report = join(folder, "report.json");
  try {
    const options = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await exitCodeOf(process.execPath, [VITEST, "run", "--project", project, ...options, ...args], {
      env: childEnvironment(env),
    });
    const totals = readTotals(report);
    for (const { title, why } of totals.retried) console.log(`  needed a second try: ${title}\n    ${why}`);
    if (code === 0 || totals.failed > 0) return totals;
    return { ...totals, failed: 1, failures: [{ title: `${project} tests`, why: `vitest ended with code ${code}` }] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readTotals(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const unloaded = testResults.filter(
      (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
    );
    return {
      passed: numPassedTests,
      failed: numFailedTests + unloaded.length,
      skipped: numPendingTests,
      retried: problemsOf(testResults, "passed"),
      failures: [
        ...problemsOf(testResults, "failed"),
        ...unloaded.map(({ name, message }) => ({ title: relative(ROOT, name), why: firstLine(message) })),
      ],
    };
  } catch {
    return { passed: 0, failed: 0, skipped: 0, retried: [], failures: [] }; // vitest ended before it wrote the report; its exit code says so.
  }
}

/** Returns the tests with this status that failed at least once, each with the first line of its failure. */
function problemsOf(testResults, wanted) {
  return testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status, failureMessages }) => status === wanted && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => ({ title: fullName, why: firstLine(failureMessages[0]) }));
}

function firstLine(text) {
  return text.split("\n")[0];
}
