import { execFile } from "node:child_process";

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;

/** Asks git, which takes no lock, writes no index and starts no helper for that. @returns what it prints; undefined when it fails. */
export function git(cwd: string, args: readonly string[], input = ""): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const child = execFile(
      "git",
      ["--no-optional-locks", "-c", "core.quotepath=false", "-c", "core.fsmonitor=false", ...args],
      { cwd, encoding: "buffer", timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
    child.stdin?.on("error", () => undefined); // a git that does not run takes no input
    child.stdin?.end(input);
  });
}
