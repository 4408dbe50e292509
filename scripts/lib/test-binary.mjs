import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processTier } from "../../test/support/process-tier.mjs";
import { makeBinary, ownPlatform } from "./binary.mjs";
import { build } from "./build.mjs";
import { ROOT } from "./paths.mjs";
import { ExpectedError, step } from "./report.mjs";
import { runVitest } from "./vitest.mjs";

/** Makes the agent as one file for this machine, and runs the tests that start the agent as a process against it; resolves to the exit code. */
export async function run(args) {
  const filters = args.filter((arg) => !arg.startsWith("-"));
  const tier = processTier(ROOT).filter((file) => !file.startsWith("test/windows/"));
  const files = tier.filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
  if (files.length === 0)
    throw new ExpectedError(`No test that starts an agent has ${filters.join(" or ")} in its name.`);
  await build();
  const program = await makeBinary(ownPlatform());
  const folder = mkdtempSync(join(tmpdir(), "tiller-binary-tests-"));
  try {
    const agent = join(folder, "agent.mjs");
    // Tests start an agent as a script of their own Node.
    writeFileSync(
      agent,
      `process.execve(${JSON.stringify(program)}, [${JSON.stringify(program)}, ...process.argv.slice(2)], process.env);\n`,
    );
    const options = args.filter((arg) => arg.startsWith("-"));
    const totals = await step(`${files.length} files of tests, with the agent as one file`, () =>
      runVitest("unit", [...options, ...files], { TILLER_TEST_AGENT: agent }),
    );
    for (const { title, why } of totals.failures) console.log(`  failed: ${title}\n    ${why}`);
    console.log(`One file: ${totals.passed} passed, ${totals.failed} failed`);
    return totals.failed === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
