import { readdir, readFile } from "node:fs/promises";

/** The agents that run under a home folder, by process id: the editor's home is inherited by all that it starts. */
export async function agentProcesses(home: string): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const isOurs = await Promise.all(pids.map((pid) => isAgent(pid, home)));
  return pids.filter((_pid, index) => isOurs[index]).map(Number);
}

async function isAgent(pid: string, home: string): Promise<boolean> {
  try {
    const [command, environment] = await Promise.all([
      readFile(`/proc/${pid}/cmdline`, "utf8"),
      readFile(`/proc/${pid}/environ`, "utf8"),
    ]);
    return command.includes("--mode\0rpc") && environment.split("\0").includes(`HOME=${home}`);
  } catch {
    return false; // It ended meanwhile, or belongs to somebody else.
  }
}
