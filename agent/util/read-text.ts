import { readFileSync } from "node:fs";

/** Reads a file of UTF-8 text without the byte order mark that some editors put before it. */
export function readTextSync(path: string): string {
  return readFileSync(path, "utf8").replace(/^\uFEFF/, "");
}
