import { statSync } from "node:fs";
import { build, packageExtension } from "./build.mjs";
import { VSIX } from "./paths.mjs";
import { note } from "./report.mjs";

/** Builds and packages the extension. */
export async function run() {
  await build();
  await packageExtension();
  note(`${VSIX}: ${Math.round(statSync(VSIX).size / 1024)} KiB`);
  return 0;
}
