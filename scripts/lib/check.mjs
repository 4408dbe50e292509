import { join } from "node:path";
import { ROOT } from "./paths.mjs";
import { exitCodeOf } from "./processes.mjs";
import { fail, step } from "./report.mjs";
import { run as runTests } from "./test.mjs";

const CHECKS = [
  ["Types", "node_modules/typescript/bin/tsc", ["--noEmit"]],
  ["Types of the page", "node_modules/typescript/bin/tsc", ["--noEmit", "-p", "webview"]],
  ["Lint", "node_modules/@biomejs/biome/bin/biome", ["ci"]],
  ["Structure", "scripts/structure.ts", []],
  ["Unused code", "node_modules/knip/bin/knip.js", []],
];

/** Types, lint, unused code, then build and every test; resolves to the exit code. All checks run, also after one failed. */
export async function run(args) {
  const failures = [];
  for (const [title, program, programArgs] of CHECKS) {
    const code = await step(title, () => exitCodeOf(process.execPath, [join(ROOT, program), ...programArgs]));
    if (code !== 0) failures.push(title);
  }
  if ((await runTests(args)) !== 0) failures.push("Tests");
  if (failures.length > 0) fail(`Failed: ${failures.join(", ")}.`);
  return failures.length === 0 ? 0 : 1;
}
