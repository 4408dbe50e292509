import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * Reads a file of UTF-8 text without the byte order mark that some editors put before it.
 * @throws Error for what is no file: a pipe would be waited for, and a device may have no end.
 */
export function readTextSync(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(fd).isFile()) throw new Error("it isn't a file");
    return readFileSync(fd, "utf8").replace(/^\uFEFF/, "");
  } finally {
    closeSync(fd);
  }
}
