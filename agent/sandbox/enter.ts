import { totalmem } from "node:os";
import type { ShellScript } from "../tools/contained.ts";
import { isPosixShell } from "../tools/shell-language.ts";

/** The number of processes and threads in a sandbox. */
const MAX_PROCESSES = 4096;
/** The share of the memory of the machine that one process may have. */
const MAX_MEMORY_SHARE = 0.75;

/** A program and its arguments. */
export interface Program {
  file: string;
  args: string[];
}

/** The absolute paths of the programs that make a sandbox and enter it. */
export interface SandboxPrograms {
  bwrap: string;
  nsenter: string;
  unshare: string;
  setpriv: string;
  prlimit: string;
  env: string;
}

/**
 * Returns how to run bubblewrap. For a user who is no administrator, it runs in a user namespace in which they are one: it can then make
 * everything in one further namespace, which commands can enter.
 */
export function making(programs: SandboxPrograms, args: readonly string[]): Program {
  if (isAdministrator()) return { file: programs.bwrap, args: [...args] };
  return { file: programs.unshare, args: ["--user", "--map-root-user", "--", programs.bwrap, ...args] };
}

/**
 * Returns how to run a shell in the namespaces of a holder. The directory is entered inside: one that was opened outside would lead out. The
 * shell has no capabilities there, with which it could take the sandbox apart: an administrator's gives them up, anybody else's is in a user
 * namespace of its own, as the user.
 */
export function entering(programs: SandboxPrograms, holder: number, cwd: string, shell: ShellScript): Program {
  const drop = isAdministrator()
    ? [programs.setpriv, "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"]
    : [programs.unshare, "--user", `--map-user=${process.getuid?.()}`, `--map-group=${process.getgid?.()}`];
  return {
    file: programs.nsenter,
    args: [
      ...[
        "--target",
        String(holder),
        "--user",
        "--mount",
        "--net",
        "--pid",
        "--ipc",
        "--uts",
        "--preserve-credentials",
      ],
      ...["--", ...drop, "--", ...settingUp(programs, cwd, shell)],
    ],
  };
}

/** Returns the words that run a program in the network of a holder, and outside in every other way. */
export function inNetwork(programs: SandboxPrograms, holder: number): string[] {
  return [programs.nsenter, "--target", String(holder), "--user", "--net", "--preserve-credentials", "--"];
}

/** Returns the words that run a shell with limits in a directory. Most shells can set both themselves, which is faster than programs that do. */
function settingUp({ prlimit, env }: SandboxPrograms, cwd: string, { shellPath, script }: ShellScript): string[] {
  const bytes = maxBytes();
  if (!isPosixShell(shellPath)) {
    const limits = [prlimit, `--nproc=${MAX_PROCESSES}`, `--data=${bytes}`, "--"];
    return [...limits, env, `--chdir=${cwd}`, shellPath, "-c", script];
  }
  const processes = `ulimit -u ${MAX_PROCESSES} 2>/dev/null || ulimit -p ${MAX_PROCESSES} 2>/dev/null`;
  const memory = `ulimit -d ${Math.floor(bytes / 1024)} 2>/dev/null`;
  const folder = `'${cwd.replaceAll("'", "'\\''")}'`;
  return [shellPath, "-c", `${processes}; ${memory}; cd -- ${folder} || exit; ${script}`];
}

/** Returns the memory that one process may have. */
function maxBytes(): number {
  return Math.floor(totalmem() * MAX_MEMORY_SHARE);
}

function isAdministrator(): boolean {
  return process.getuid?.() === 0;
}
