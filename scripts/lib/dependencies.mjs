import { existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { childEnvironment, userPath } from "./environment.mjs";
import { runNpm } from "./npm.mjs";
import { ROOT } from "./paths.mjs";
import { step } from "./report.mjs";
import { requireRoom } from "./room.mjs";

/** While npm unpacks, a part of this is there twice. */
const PACKAGES_MIB = 1_000;

const FLAGS = ["--include=dev", "--include=optional", "--no-audit", "--no-fund"];

/** Runs `npm ci`, unless node_modules holds what package-lock.json names. */
export async function installDependencies() {
  if (isInstalled()) return;
  requireRoom(ROOT, PACKAGES_MIB, "the packages");
  await step("Installing packages (npm ci)", async () => {
    const byHand = `cd '${ROOT}' && npm ci --include=dev --include=optional`;
    await runNpm(["ci", ...FLAGS], { byHand });
    const node = pinnedNode();
    if (node === undefined || isInstalled()) return;
    // npm leaves out optional packages that don't support the Node that runs npm. They will run on the pinned Node.
    const env = childEnvironment({ PATH: dirname(node) + delimiter + userPath() });
    await runNpm(["install", "--no-save", ...FLAGS], { byHand, env });
  });
}

/** The Node that the lock file pins for this platform, or undefined where there is none. */
export function pinnedNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const file = join(ROOT, `node_modules/node-${platform}-${process.arch}/bin/node${platform === "win" ? ".exe" : ""}`);
  return existsSync(file) ? file : undefined;
}

/** True when npm's list in node_modules has every package of the lock file. Optional packages may be missing, unless they are programs for this machine. */
function isInstalled() {
  const wanted = packagesIn("package-lock.json");
  const installed = packagesIn("node_modules/.package-lock.json");
  if (!wanted || !installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    if (!installed[path]) return entry.optional === true && !isForThisMachine(entry);
    return installed[path].version === entry.version;
  });
}

/** True for a package that names this machine's platform. Only machines with glibc have a pinned Node. */
function isForThisMachine({ os, cpu, libc }) {
  const fits = (wanted, own) => [wanted].flat().includes(own);
  return fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || fits(libc, "glibc"));
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(join(ROOT, file), "utf8")).packages;
  } catch {
    return undefined; // Not there, or cut off by an interrupted install: npm ci mends both.
  }
}
