import { parseArgs } from "node:util";
import { build } from "./build.mjs";
import { ensureChromium } from "./chromium.mjs";
import { exitCodeOf } from "./processes.mjs";
import { withEditorPrograms } from "./test-editor.mjs";

const SCRIPT = "test/bench/run.ts";
/** The benches that open the page in a browser, and those that open an editor, which is not fetched for the others. */
const IN_BROWSER = ["page"];
const IN_EDITOR = ["activation"];

/** Gets the programs that the benches need, builds and measures; resolves to the exit code. */
export async function run(args) {
  const { positionals: names } = parseArgs({
    args,
    allowPositionals: true,
    options: { json: { type: "string" } },
  });
  const isWanted = (bench) => names.length === 0 || names.includes(bench);
  if (IN_BROWSER.some(isWanted)) process.env.TILLER_CHROMIUM = await ensureChromium();
  await build();
  const measure = () => exitCodeOf(process.execPath, [SCRIPT, ...args]);
  if (!IN_EDITOR.some(isWanted)) return measure();
  return withEditorPrograms((programs) => {
    Object.assign(process.env, programs);
    return measure();
  });
}
