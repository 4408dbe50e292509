import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runNpm } from "./npm.mjs";
import { ROOT } from "./paths.mjs";
import { step } from "./report.mjs";
import { requireRoom } from "./room.mjs";

/** With a part of it twice, while npm unpacks. */
const PACKAGES_MIB = 1_000;

/** Runs `npm ci`, unless node_modules holds what package-lock.json names. */
export async function installDependencies() {
  if (isInstalled()) return;
  requireRoom(ROOT, PACKAGES_MIB, "the packages");
  await step("Installing packages (npm ci)", () =>
    runNpm(["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"], {
      byHand: `cd '${ROOT}' && npm ci --include=dev --include=optional`,
    }),
  );
}

/** The Node that the lock file pins for this platform, or undefined where there is none. */
export function pinnedNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const file = join(ROOT, `node_modules/node-${platform}-${process.arch}/bin/node${platform === "win" ? ".exe" : ""}`);
  return existsSync(file) ? file : undefined;
}

/** npm notes in node_modules what it installed. Optional packages are those of other platforms: they may be missing. */
function isInstalled() {
  const wanted = packagesIn("package-lock.json");
  const installed = packagesIn("node_modules/.package-lock.json");
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    if (!installed[path]) return entry.optional === true;
    return installed[path].version === entry.version;
  });
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), "utf8")).packages;
  } catch {
    return undefined; // Not there, or cut off by an interrupted install: npm ci mends both.
  }
}
