import { build } from "./build.mjs";
import { ExpectedError } from "./report.mjs";
import { runEditorTests, withEditorPrograms } from "./test-editor.mjs";

const DEFAULT_RUNS = 10;
/** This many second tries of one test are no accident. */
const TOO_MANY_RETRIES = 2;

/**
 * Runs the editor tests ten times, or as often as the first argument says, and passes the other arguments to vitest. Prints a table of the
 * tests that needed a second try. Resolves to exit code 1 if a test failed or needed a second try twice.
 */
export async function run([first, ...others]) {
  const isCount = /^\d+$/.test(first ?? "");
  const runs = isCount ? Number(first) : DEFAULT_RUNS;
  if (runs === 0) throw new ExpectedError("The number of runs must be at least 1.");
  const args = isCount ? others : [first, ...others].filter((arg) => arg !== undefined);
  await build();
  const results = [];
  await withEditorPrograms(async (programs) => {
    for (let at = 1; at <= runs; at++)
      results.push(await runEditorTests(args, programs, `Editor tests, run ${at} of ${runs}`));
  });
  const rows = tableOf(results);
  print(rows, runs);
  return rows.some(isBad) || results.some(({ failed }) => failed > 0) ? 1 : 0;
}

/** Returns a row for each test that did not pass at the first try in every run, the worst first. */
function tableOf(results) {
  const rows = new Map();
  const count = (kind, at, { title, why }) => {
    const row = rows.get(title) ?? { title, retried: [], failed: [], why };
    row[kind].push(at + 1);
    rows.set(title, row);
  };
  for (const [at, { retried, failures }] of results.entries()) {
    for (const problem of retried) count("retried", at, problem);
    for (const problem of failures) count("failed", at, problem);
  }
  return [...rows.values()].sort((a, b) => b.failed.length - a.failed.length || b.retried.length - a.retried.length);
}

function isBad({ retried, failed }) {
  return failed.length > 0 || retried.length >= TOO_MANY_RETRIES;
}

function print(rows, runs) {
  if (rows.length === 0) {
    console.log(`In ${runs} runs every test passed at its first try.`);
    return;
  }
  console.log("second try in run | failed in run | test");
  for (const row of rows) {
    const cells = [row.retried.join(" ").padEnd(17), row.failed.join(" ").padEnd(13), row.title];
    console.log(`${cells.join(" | ")}\n  ${row.why}`);
  }
}
