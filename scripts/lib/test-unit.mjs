import { build } from "./build.mjs";
import { ensureChromium } from "./chromium.mjs";
import { installDebianPackages } from "./debian.mjs";
import { ensurePython } from "./python.mjs";
import { step } from "./report.mjs";
import { ensureSshd } from "./sshd.mjs";
import { runVitest } from "./vitest.mjs";

/** Builds and runs the unit, process and page tests; resolves to the exit code. */
export async function run(args) {
  await build();
  const { failed } = await runUnitTier(args);
  return failed === 0 ? 0 : 1;
}

/** The unit, process and page tests, on the bundles that are there; resolves to the totals. */
export async function runUnitTier(args) {
  const chromium = await ensureChromium();
  const python = await ensurePython();
  if (process.platform === "linux") await installDebianPackages(["bubblewrap"], "tests of the sandbox");
  const sshd = await ensureSshd();
  return step("Unit, process and page tests", () =>
    runVitest("unit", args, { TILLER_CHROMIUM: chromium, TILLER_PYTHON: python, TILLER_SSHD: sshd }),
  );
}
