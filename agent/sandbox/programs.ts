import { isExecutable, pathCandidates } from "../tools/find-shell.ts";
import type { SandboxPrograms } from "./enter.ts";

/** Finds the programs that make sandboxes. @throws Error that says what to install. */
export async function findPrograms(env: NodeJS.ProcessEnv): Promise<SandboxPrograms> {
  const find = async (name: string) => {
    for (const path of pathCandidates(name, env)) if (await isExecutable(path)) return path;
    const install = name === "bwrap" ? "bubblewrap" : "util-linux";
    throw new Error(`${name} isn't installed. Install the package ${install}.`);
  };
  return {
    bwrap: await find("bwrap"),
    nsenter: await find("nsenter"),
    unshare: await find("unshare"),
    setpriv: await find("setpriv"),
    prlimit: await find("prlimit"),
    env: await find("env"),
  };
}
