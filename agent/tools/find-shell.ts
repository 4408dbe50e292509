import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";

/**
 * The shell that runs commands: the configured one, else bash from the PATH, else `/bin/bash` or `sh`; on Windows Git Bash.
 * @throws Error that says what to install or to set when there is none.
 */
export async function findShell(configured: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (configured !== undefined) {
    if (await isFile(configured)) return configured;
    throw new Error(`Shell not found: ${configured}. Correct shellPath in the settings, or remove it to use bash.`);
  }
  for (const path of process.platform === "win32" ? windowsShells(env) : unixShells(env)) {
    if (await isFile(path)) return path;
  }
  throw new Error(
    process.platform === "win32"
      ? "No bash found. Install Git for Windows (https://git-scm.com/download/win), or set shellPath in the settings."
      : "No shell found. Add bash to the PATH, or set shellPath in the settings.",
  );
}

/** Shells with the grammar of POSIX: they know `exec 2>&1`. */
const POSIX_SHELL = /^(ba|da|a|z|k|mk)?sh(\.exe)?$/i;

/** True for the path of a shell with the grammar of POSIX. */
export function isPosixShell(path: string): boolean {
  return POSIX_SHELL.test(basename(path));
}

/** Returns the possible paths of an executable, in the order of the PATH. */
export function pathCandidates(name: string, env: NodeJS.ProcessEnv): string[] {
  const path = env.PATH ?? env.Path ?? "";
  // An empty entry would mean the working directory, which belongs to the workspace.
  return path
    .split(delimiter)
    .filter((folder) => folder !== "" && folder !== ".")
    .map((folder) => join(folder, name));
}

/** True if the path is a file that may be run. */
export async function isExecutable(path: string): Promise<boolean> {
  if (!(await isFile(path))) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function unixShells(env: NodeJS.ProcessEnv): string[] {
  return [...pathCandidates("bash", env), "/bin/bash", ...pathCandidates("sh", env), "/bin/sh"];
}

function windowsShells(env: NodeJS.ProcessEnv): string[] {
  const roots = [env.ProgramFiles, env["ProgramFiles(x86)"], env.LOCALAPPDATA && join(env.LOCALAPPDATA, "Programs")];
  const gitBash = roots.flatMap((root) => (root ? [join(root, "Git", "bin", "bash.exe")] : []));
  // The bash.exe in System32 belongs to WSL: it sees other paths and another system.
  const onPath = pathCandidates("bash.exe", env).filter((path) => !/\\system32\\/i.test(path));
  return [...gitBash, ...onPath];
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
