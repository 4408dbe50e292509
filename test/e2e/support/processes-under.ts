import { readdir, readFile } from "node:fs/promises";

/** The processes that run under a home folder and whose command line holds `text`: the editor's home is inherited by all that it starts. */
export async function processesUnder(home: string, text: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const isWanted = await Promise.all(pids.map((pid) => isProcessUnder(pid, home, text)));
  return pids.filter((_pid, index) => isWanted[index]).map(Number);
}

async function isProcessUnder(pid: string, home: string, text: string): Promise<boolean> {
  try {
    const [command, environment] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readFile(`/proc/${pid}/environ`, "utf8"),
    ]);
    return command.replaceAll("\0", " ").includes(text) && environment.split("\0").includes(`HOME=${home}`);
  } catch {
    return false; // It has ended, or belongs to another user.
  }
}
