import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
const TIMEOUT_MS = 2_000;

/** Returns the resident memory of a process, in bytes; undefined when it has exited or the system does not tell. */
export async function residentBytes(pid: number): Promise<number | undefined> {
  try {
    return await READERS[process.platform === "linux" ? "linux" : process.platform === "win32" ? "windows" : "posix"](
      pid,
    );
  } catch {
    return undefined; // exited meanwhile, or a system without the program: memory is shown only when known
  }
}

const READERS = {
  async linux(pid: number): Promise<number | undefined> {
    return kibibytes(/^VmRSS:\s*(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]);
  },
  async posix(pid: number): Promise<number | undefined> {
    const { stdout } = await run("ps", ["-o", "rss=", "-p", String(pid)], { timeout: TIMEOUT_MS });
    return kibibytes(stdout.trim());
  },
  async windows(pid: number): Promise<number | undefined> {
    const args = ["/fi", `PID eq ${pid}`, "/fo", "csv", "/nh"];
    const { stdout } = await run("tasklist", args, { timeout: TIMEOUT_MS, windowsHide: true });
    return kibibytes(/"([\d.,\s]+) K"\s*$/.exec(stdout)?.[1]?.replace(/\D/g, ""));
  },
};

function kibibytes(text: string | undefined): number | undefined {
  const count = Number(text || Number.NaN);
  return Number.isFinite(count) ? count * 1024 : undefined;
}
