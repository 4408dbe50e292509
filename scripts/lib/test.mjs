import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ROOT } from "./paths.mjs";
import { duration, ExpectedError, fail, messageOf } from "./report.mjs";
import { runSmoke } from "./smoke.mjs";
import { runEditorTier } from "./test-editor.mjs";
import { runScriptsTier } from "./test-scripts.mjs";
import { runUnitTier } from "./test-unit.mjs";

/**
 * Builds and runs every tier, or with filters (parts of test file names; options go to vitest) what they select. Prints the totals over
 * all tiers, also writes them to the file `TILLER_TOTALS`, and resolves to the exit code.
 */
export async function run(args) {
  const startedAt = Date.now();
  const tiers = select(args);
  const totals = { passed: 0, failed: 0 };
  const count = async (name, work) => {
    try {
      const { passed, failed } = await work();
      totals.passed += passed;
      totals.failed += failed;
    } catch (error) {
      fail(`${name}: ${messageOf(error)}`);
      totals.failed += 1;
    }
  };
  await count("Build", async () => {
    await build();
    return { passed: 0, failed: 0 };
  });
  if (totals.failed === 0) {
    if (tiers.unit) await count("Unit, process and page tests", () => runUnitTier(args));
    if (tiers.scripts) await count("Tests of the scripts", () => runScriptsTier(args));
    if (tiers.editor) await count("Editor tests", () => runEditorTier(args));
    if (tiers.smoke) await count("Smoke run", runSmoke);
  }
  const line = `${totals.passed} passed, ${totals.failed} failed`;
  if (process.env.TILLER_TOTALS) writeFileSync(process.env.TILLER_TOTALS, `${line}\n`);
  console.log(`All tiers in ${duration(Date.now() - startedAt)}: ${line}`);
  return totals.failed === 0 ? 0 : 1;
}

/** Which tiers hold a test file that the filters select; all without filters. */
function select(args) {
  const filters = args.filter((arg) => !arg.startsWith("-"));
  if (filters.length === 0) return { unit: true, scripts: true, editor: true, smoke: true };
  const files = readdirSync(join(ROOT, "test"), { recursive: true })
    .map((name) => `test/${String(name).replaceAll("\\", "/")}`)
    .filter(
      (name) => name.endsWith(".test.ts") && filters.some((filter) => name.includes(filter.replace(/^\.\//, ""))),
    );
  if (files.length === 0)
    throw new ExpectedError(`No test file has ${filters.map((filter) => `"${filter}"`).join(" or ")} in its name.`);
  const isScripts = (name) => name.startsWith("test/scripts/");
  const isEditor = (name) => name.startsWith("test/e2e/");
  const isUnit = (name) => !isScripts(name) && !isEditor(name);
  return { unit: files.some(isUnit), scripts: files.some(isScripts), editor: files.some(isEditor), smoke: false };
}
