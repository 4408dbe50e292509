import { statSync } from "node:fs";
import { parseArgs } from "node:util";
import { build, packageExtension } from "./build.mjs";
import { VSIX } from "./paths.mjs";
import { note } from "./report.mjs";
import { packageForStores } from "./store-package.mjs";

/** Builds and packages the extension: for this machine, or with `--repository` for the Marketplace and Open VSX. */
export async function run(args) {
  const { repository, "pre-release": isPreRelease } = parseArgs({
    args,
    options: { repository: { type: "string" }, "pre-release": { type: "boolean", default: false } },
  }).values;
  await build();
  if (repository === undefined) await packageExtension();
  else await packageForStores(VSIX, { repository, isPreRelease });
  note(`${VSIX}: ${Math.round(statSync(VSIX).size / 1024)} KiB`);
  return 0;
}
