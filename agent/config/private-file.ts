import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errorMessage } from "../protocol/errors.ts";

/**
 * Writes a file that only the user may read, in one step: readers see the old text or the new one.
 * @returns false when it cannot be written, after a call of `warn`.
 */
export function writePrivately(path: string, text: string, warn: (message: string) => void): boolean {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, path);
    return true;
  } catch (error) {
    rmSync(temporary, { force: true });
    warn(`${path} cannot be written: ${errorMessage(error)}`);
    return false;
  }
}

/** Returns the path without symbolic links, or as it is where the file doesn't exist. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // reading or writing it reports what is wrong
  }
}
