import { accessSync, constants, mkdtempSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A sandbox has folders of its own in place of these. */
const REPLACED = /^\/(tmp|var\/tmp|run|dev)\//;

/** Makes a folder that commands in a sandbox see, too: not one for temporary files. */
export function makeOutsideFolder(): string {
  const base = [homedir(), ROOT, "/srv", "/opt"].find((path) => !REPLACED.test(`${path}/`) && isWritable(path));
  if (base === undefined)
    throw new Error("No folder outside /tmp can be written. Run the tests from a folder elsewhere.");
  return mkdtempSync(join(base, ".tiller-outside-"));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
