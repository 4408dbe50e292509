import { step } from "./report.mjs";
import { runVitest } from "./vitest.mjs";

/** Runs the tests of these scripts; resolves to the exit code. */
export async function run(args) {
  const { failed } = await runScriptsTier(args);
  return failed === 0 ? 0 : 1;
}

/** Runs the tests of these scripts on copies of this checkout with nothing installed; resolves to the totals. */
export function runScriptsTier(args) {
  return step("Tests of the scripts", () => runVitest("scripts", args));
}
