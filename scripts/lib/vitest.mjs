import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./paths.mjs";
import { childEnvironment, exitCodeOf } from "./processes.mjs";

const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");

/**
 * Runs vitest with a configuration file, names the tests that passed at a second try, and resolves to the totals. A file that cannot be loaded counts as one failed test, and so
 * does a run that ends without a report.
 */
export async function runVitest(config, args, env = {}) {
  const folder = mkdtempSync(join(tmpdir(), "tiller-report-"));
  const report = join(folder, "report.json");
  try {
    const options = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
    const code = await exitCodeOf(process.execPath, [VITEST, "run", "--config", config, ...options, ...args], {
      env: childEnvironment(env),
    });
    const totals = readTotals(report);
    for (const { title, why } of totals.retried) console.log(`  needed a second try: ${title}\n    ${why}`);
    return code === 0 || totals.failed > 0 ? totals : { ...totals, failed: 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readTotals(report) {
  try {
    const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
    const unloaded = testResults.filter(
      (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
    );
    return { passed: numPassedTests, failed: numFailedTests + unloaded.length, retried: retriedOf(testResults) };
  } catch {
    return { passed: 0, failed: 0, retried: [] }; // vitest ended before it wrote the report; its exit code says so.
  }
}

/** Tests that passed after they had failed, and the first line of why. */
function retriedOf(testResults) {
  return testResults
    .flatMap((file) => file.assertionResults)
    .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => ({ title: fullName, why: failureMessages[0].split("\n")[0] }));
}
