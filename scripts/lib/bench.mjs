import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.mjs";
import { ROOT } from "./paths.mjs";
import { exitCodeOf } from "./processes.mjs";
import { ExpectedError } from "./report.mjs";
import { withEditorPrograms } from "./test-editor.mjs";

/** Builds and measures; resolves to the exit code. Node takes the types out of the script itself. */
export async function run(args) {
  const script = ["test/bench/run.ts", "test/bench/run.mjs"].find((file) => existsSync(join(ROOT, file)));
  if (!script) throw new ExpectedError("There is no test/bench/run.ts.");
  await build();
  const measure = () => exitCodeOf(process.execPath, [script, ...args]);
  if (!args.includes("activation")) return measure();
  // Measured in an editor, which is not fetched for the others.
  return withEditorPrograms((programs) => {
    Object.assign(process.env, programs);
    return measure();
  });
}
