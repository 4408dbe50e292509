import { execFile } from "node:child_process";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Runs git without taking locks, writing the index or starting helpers. @returns its output; undefined when it fails. */
export function git(cwd: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      "git",
      ["--no-optional-locks", "-c", "core.quotepath=false", "-c", "core.fsmonitor=false", ...args],
      { cwd, encoding: "buffer", timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on("error", () => undefined); // a git that does not start accepts no input
    child.stdin?.end(input);
  });
}
