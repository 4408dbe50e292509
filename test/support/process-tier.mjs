import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const FOLDERS = [
  "protocol",
  "rpc",
  "tools",
  "session",
  "providers",
  "extensions",
  "client",
  "bundled",
  "config",
  "windows",
];
const SPAWNS_AGENT = "test/support/spawn-agent.ts";
const IMPORT = /from "(\.{1,2}\/[^"]+)"/g;

/** Returns the files of tests that start the agent as a process, in the order of their names. @param {string} root */
export function processTier(root) {
  const found = new Map();
  const startsAgent = (file) => {
    const known = found.get(file);
    if (known !== undefined) return known;
    found.set(file, file === join(root, SPAWNS_AGENT)); // a circle of imports ends here
    const text = existsSync(file) ? readFileSync(file, "utf8") : "";
    const isIt =
      found.get(file) || [...text.matchAll(IMPORT)].some(([, path]) => startsAgent(join(dirname(file), path)));
    found.set(file, isIt);
    return isIt;
  };
  return FOLDERS.flatMap((folder) => testsIn(join(root, "test", folder)))
    .filter(startsAgent)
    .map((file) => relative(root, file));
}

function testsIn(folder) {
  const names = readdirSync(folder, { recursive: true }).map(String);
  return names
    .filter((name) => name.endsWith(".test.ts"))
    .toSorted()
    .map((name) => join(folder, name));
}
