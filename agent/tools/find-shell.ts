import { constants, statSync } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, win32 } from "node:path";

/** An environment and the system that it belongs to; the default is this one. */
interface ShellHost {
  platform?: NodeJS.Platform;
  isFile?(path: string): boolean;
}

/**
 * The shell that runs commands: the configured one, else bash from the PATH, else `/bin/bash` or `sh`; on Windows `windowsShell`.
 * @throws Error that says what to install or to set when there is none.
 */
export async function findShell(configured: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  if (configured !== undefined) {
    if (await isFile(configured)) return configured;
    throw new Error(`Shell not found: ${configured}. Correct shellPath in the settings, or remove it to use bash.`);
  }
  if (process.platform === "win32") {
    const found = windowsShell(env);
    if (found !== undefined) return found;
  }
  for (const path of process.platform === "win32" ? [] : unixShells(env)) {
    if (await isFile(path)) return path;
  }
  throw new Error(
    process.platform === "win32"
      ? "No shell found. Install Git for Windows (https://git-scm.com/download/win), or set shellPath in the settings."
      : "No shell found. Add bash to the PATH, or set shellPath in the settings.",
  );
}

/**
 * Returns the shell that a session uses: the configured one, else on Windows the first of Git Bash, PowerShell 7, Windows PowerShell and
 * `cmd.exe` that is there. Undefined where bash is looked for when a command runs.
 */
export function sessionShell(
  configured: string | undefined,
  env: NodeJS.ProcessEnv,
  { platform = process.platform, isFile: isThere = isFileSync }: ShellHost = {},
): string | undefined {
  return configured ?? (platform === "win32" ? windowsShell(env, isThere) : undefined);
}

/** Returns the possible paths of an executable, in the order of the PATH. */
export function pathCandidates(name: string, env: NodeJS.ProcessEnv): string[] {
  const path = env.PATH ?? env.Path ?? "";
  // Other entries begin at the working directory, which belongs to the workspace.
  return path
    .split(delimiter)
    .map((folder) => (process.platform === "win32" ? folder.replace(/^"(.*)"$/, "$1") : folder))
    .filter((folder) => isAbsolute(folder))
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

function windowsShell(given: NodeJS.ProcessEnv, isThere = isFileSync): string | undefined {
  const env = windowsEnv(given);
  const system = win32.join(env.SystemRoot ?? "C:\\Windows", "System32");
  const programs = [env.ProgramFiles, env["ProgramFiles(x86)"]];
  const users = env.LOCALAPPDATA && win32.join(env.LOCALAPPDATA, "Programs");
  const onPath = (name: string) =>
    (env.PATH ?? "")
      .split(";")
      .map((folder) => folder.replace(/^"(.*)"$/, "$1"))
      .filter((folder) => win32.isAbsolute(folder)) // others begin at the working directory, which belongs to the workspace
      .map((folder) => win32.join(folder, name));
  const under = (roots: readonly (string | undefined)[], ...names: string[]) =>
    roots.flatMap((root) => (root ? [win32.join(root, ...names)] : []));
  return [
    ...under([...programs, users], "Git", "bin", "bash.exe"),
    // The bash.exe in System32 belongs to WSL, as does its alias among the apps: it sees other paths and another system.
    ...onPath("bash.exe").filter((path) => !/\\(system32|sysnative|windowsapps)\\/i.test(path)),
    ...under(programs, "PowerShell", "7", "pwsh.exe"),
    ...onPath("pwsh.exe"),
    win32.join(system, "WindowsPowerShell", "v1.0", "powershell.exe"),
    ...under([env.ComSpec]),
    win32.join(system, "cmd.exe"),
  ].find((path) => isThere(path));
}

/** Returns variables by the names that Windows gives them: in a copy of the environment, their case may be another. */
function windowsEnv(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const values = new Map(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  const names = ["PATH", "ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA", "SystemRoot", "ComSpec"];
  return Object.fromEntries(names.map((name) => [name, values.get(name.toLowerCase())]));
}

function isFileSync(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isFile(),
    () => false,
  );
}
